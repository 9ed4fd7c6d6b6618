// The owner's operations on notices: the channels, what was sent, and when a wallet is low. Secrets go to the vault, and
// none is ever sent to a server other than its own.
import { channelKinds, noticeKindNames } from '../../contract/notices/notices.ts';
import type { Body, Reply } from '../../contract/schemas.ts';
import { AppError, fieldError } from '../../errors.ts';
import { formatUsdc } from '../../money.ts';
import { agentNamed, done, type EngineContext } from '../calls/call.ts';
import { iso, isoOrNull } from '../calls/views.ts';
import type { Channel, ListedNotice, Place, SomeOperations } from '../ports.ts';
import { channelNamed, noticeNamed } from './path.ts';

export interface NoticeDeps {
  context: Pick<EngineContext, 'store' | 'time' | 'newId' | 'publish'>;
  /** In the vault. @throws AppError `locked` */
  setSecret(channelId: string, secret: string | null): void;
  test(channel: Channel): Promise<Reply<'testNoticeChannel'>>;
  wake(): void;
}

const mostChannels = 20;

export const noticeOperations = (deps: NoticeDeps) => {
  const { context } = deps;
  const { store, time } = context;
  return {
    listNoticeChannels: () =>
      done({
        channels: store.notices.channels.list().map((one) => channelView(deps, one)),
        hasMailServer: store.signIn.get().mailServer !== null,
        ...lowBalanceView(deps),
      }),
    addNoticeChannel: ({ body }) => done(channelView(deps, addChannel(deps, body))),
    changeNoticeChannel: ({ params, body }) =>
      done(channelView(deps, changeChannel(deps, channelNamed(context, params.channelId), body))),
    removeNoticeChannel({ params }) {
      const channel = channelNamed(context, params.channelId);
      store.atomically(() => store.notices.channels.remove(channel.id, time.now()));
      context.publish({ type: 'notices' });
      return done(channelView(deps, channel));
    },
    testNoticeChannel: async ({ params }) => done(await deps.test(channelNamed(context, params.channelId))),
    listNotices: ({ query: { before = null, limit, failed } }) =>
      done({
        notices: store.notices.list({ before, limit, failed }).map((one) => noticeView(context, one)),
      }),
    retryNotice({ params }) {
      const { seq } = noticeNamed(context, params.noticeId);
      store.atomically(() => store.notices.retry(seq, time.now()));
      deps.wake();
      context.publish({ type: 'notices' });
      return done(noticeView(context, noticeNamed(context, params.noticeId)));
    },
    setLowBalance({ body: { agentId, lowBalance } }) {
      setLowBalance(deps, agentId, lowBalance);
      return done(lowBalanceView(deps));
    },
  } satisfies SomeOperations;
};

const addChannel = (deps: NoticeDeps, body: Body<'addNoticeChannel'>): Channel => {
  const { store, time, newId } = deps.context;
  const { channels } = store.notices;
  const secret = body.kind === 'webhook' ? body.secret : body.kind === 'ntfy' ? body.token : undefined;
  const { kind, name = channelKinds[kind] } = body;
  const kinds = body.kinds ?? noticeKindNames;
  const place = placeOf(body);
  refusePlain(place);
  const { hasPhoneLinks = false } = body;
  const known = { createdAt: time.now(), removedAt: null };
  const channel: Channel = { id: newId('chn'), name, place, kinds, hasPhoneLinks, ...known };
  if (channels.list().length >= mostChannels)
    throw new AppError('conflict', `There are ${mostChannels} channels already. Remove one first.`);
  if (kind === 'desktop' && channels.list().some((one) => one.place.kind === 'desktop'))
    throw new AppError('conflict', 'The desktop is a channel already.');
  // First: a crash leaves a secret without a channel, and never a channel that waits for its secret.
  if (secret !== undefined) deps.setSecret(channel.id, secret);
  put(deps, channel);
  return channel;
};

const placeOf = (body: Body<'addNoticeChannel'>): Place => {
  switch (body.kind) {
    case 'desktop':
      return { kind: 'desktop' };
    case 'webhook':
      return { kind: 'webhook', url: body.url, allowPrivate: body.allowPrivate ?? false };
    case 'email':
      return { kind: 'email', to: body.to };
    case 'ntfy': {
      const { server = 'https://ntfy.sh/', topic, token, allowPrivate = false } = body;
      return { kind: 'ntfy', server, topic, allowPrivate, hasToken: token !== undefined };
    }
  }
};

const fieldsOf: Record<Place['kind'], readonly string[]> = {
  desktop: [],
  webhook: ['url', 'allowPrivate', 'secret'],
  email: ['to'],
  ntfy: ['server', 'topic', 'token', 'allowPrivate'],
};

const changeChannel = (
  deps: NoticeDeps,
  channel: Channel,
  {
    name = channel.name,
    kinds,
    hasPhoneLinks = channel.hasPhoneLinks,
    ...settings
  }: Body<'changeNoticeChannel'>,
): Channel => {
  const { kind } = channel.place;
  const strange = Object.keys(settings).find((field) => !fieldsOf[kind].includes(field));
  if (strange !== undefined) throw fieldError(strange, `does not apply to ${kind} channels`);
  const { secret, token, ...fields } = settings;
  const merged = { ...channel.place, ...fields } as Place;
  const place = withToken(channel.place, merged, token);
  const changed = { ...channel, name, kinds: kinds ?? channel.kinds, hasPhoneLinks, place };
  refusePlain(changed.place);
  const isForgotten = hasToken(channel.place) && !hasToken(changed.place);
  const next = isForgotten ? null : (secret ?? token ?? undefined);
  // A crash in between leaves the new server without a token, and never with the other server's.
  if (next !== undefined && kind === 'ntfy') deps.setSecret(channel.id, null);
  put(deps, changed);
  if (next !== undefined && next !== null) deps.setSecret(channel.id, next);
  return changed;
};

/** A token belongs to one server: another begins without it. */
const withToken = (before: Place, after: Place, token: string | null | undefined): Place => {
  if (before.kind !== 'ntfy' || after.kind !== 'ntfy') return after;
  const isKept = token === undefined && before.hasToken && originOf(before.server) === originOf(after.server);
  return { ...after, hasToken: isKept || (token !== undefined && token !== null) };
};

const hasToken = (place: Place): boolean => place.kind === 'ntfy' && place.hasToken;
const originOf = (url: string): string => new URL(url).origin;

const refusePlain = (place: Place): void => {
  if (place.kind !== 'webhook' && place.kind !== 'ntfy') return;
  const [field, url] = place.kind === 'webhook' ? ['url', place.url] : ['server', place.server];
  if (!place.allowPrivate && new URL(url).protocol !== 'https:')
    throw fieldError(field, 'must be https, unless you allow private addresses');
};

const put = ({ context: { store, publish }, wake }: NoticeDeps, channel: Channel): void => {
  store.atomically(() => store.notices.channels.put(channel));
  wake();
  publish({ type: 'notices' });
};

const setLowBalance = (
  { context: { store, publish } }: NoticeDeps,
  agentId: string | undefined,
  limit: Body<'setLowBalance'>['lowBalance'],
): void => {
  if (agentId !== undefined) agentNamed(store, agentId);
  else if (limit === 'common')
    throw fieldError('lowBalance', '"common" is for one agent: name it in agentId');
  store.atomically(() =>
    store.notices.setLowBalance(agentId ?? null, limit === 'common' ? undefined : limit),
  );
  publish({ type: 'notices' });
};

const channelView = (
  { context: { store } }: NoticeDeps,
  { id, name, place, kinds, hasPhoneLinks, createdAt }: Channel,
): Reply<'addNoticeChannel'> => {
  const trouble = store.notices.channels.trouble(id);
  return {
    channelId: id,
    name,
    place,
    kinds: [...kinds],
    hasPhoneLinks,
    trouble: trouble.waiting === 0 ? null : trouble,
    createdAt: iso(createdAt),
  };
};

const lowBalanceView = ({ context: { store } }: NoticeDeps): Reply<'setLowBalance'> => {
  const { notices } = store;
  const decimalOf = (limit: ReturnType<typeof notices.lowBalance>): string | null =>
    limit === null ? null : formatUsdc(limit);
  return {
    lowBalance: decimalOf(notices.lowBalance(null)),
    ofAgents: notices.lowBalances().map(({ agentId, limit }) => ({ agentId, lowBalance: decimalOf(limit) })),
  };
};

const noticeView = (
  { store }: Pick<EngineContext, 'store'>,
  { seq, id, kind, agentId, subject, title, text, count, createdAt, dueAt, deliveries }: ListedNotice,
): Reply<'retryNotice'> => ({
  noticeId: id,
  kind,
  agentId,
  subject,
  title,
  text,
  count,
  timestamp: iso(createdAt),
  dueAt: iso(dueAt),
  deliveries: deliveries.map(({ channelId, state, attempts, nextAt, endedAt, answer }) => ({
    channelId,
    channel: store.notices.channels.get(channelId)?.name ?? channelId,
    state,
    attempts,
    nextAt: state === 'waiting' ? iso(nextAt) : null,
    endedAt: isoOrNull(endedAt),
    answer,
  })),
  cursor: seq,
});
