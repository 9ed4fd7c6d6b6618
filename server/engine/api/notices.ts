// The owner's operations on notices: the channels, what was sent, and when a wallet is low. Secrets go to the vault, and
// none is ever sent to a server other than its own.
import {
  entryOf,
  storedFields,
  urlField,
  vaultField,
  type ChannelKind,
} from '../../contract/notices/channels.ts';
import { noticeKindNames } from '../../contract/notices/notices.ts';
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
    retryNotices({ params }) {
      const channel = channelNamed(context, params.channelId);
      store.atomically(() => store.notices.retryAll(channel.id, time.now()));
      deps.wake();
      context.publish({ type: 'notices' });
      return done(channelView(deps, channel));
    },
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

type Fields = Readonly<Record<string, unknown>>;

const addChannel = (deps: NoticeDeps, body: Body<'addNoticeChannel'>): Channel => {
  const { store, time, newId } = deps.context;
  const { channels } = store.notices;
  const { kind, kinds = noticeKindNames, hasPhoneLinks = false } = body;
  const { label, fixed } = entryOf(kind);
  const { name = label } = body;
  const secret = secretIn(kind, body);
  const place = placeOf(kind, body);
  refusePlain(place);
  const known = { createdAt: time.now(), removedAt: null };
  const channel: Channel = { id: newId('chn'), name, place, kinds, hasPhoneLinks, ...known };
  if (channels.list().length >= mostChannels)
    throw new AppError('conflict', `There are ${mostChannels} channels already. Remove one first.`);
  if (fixed !== undefined && channels.list().some((one) => one.place.kind === kind))
    throw new AppError('conflict', fixed.taken);
  // First: a crash leaves a secret without a channel, and never a channel that waits for its secret.
  if (typeof secret === 'string') deps.setSecret(channel.id, secret);
  put(deps, channel);
  return channel;
};

/** Undefined where none is sent, and null where it is to be forgotten. */
const secretIn = (kind: ChannelKind, body: Fields): string | null | undefined => {
  const field = vaultField(kind);
  return field && (body[field.name] as string | null | undefined);
};

const placeOf = (kind: ChannelKind, body: Fields): Place => {
  const texts = storedFields(kind).map(([name, { usual }]) => [name, body[name] ?? usual]);
  return {
    kind,
    ...Object.fromEntries(texts),
    ...(entryOf(kind).mayBePrivate === true && { allowPrivate: body['allowPrivate'] ?? false }),
    ...(vaultField(kind)?.value === 'token' && { hasToken: secretIn(kind, body) !== undefined }),
  } as Place;
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
  const before = channel.place;
  const { kind } = before;
  const strange = Object.keys(settings).find((field) => !takes(kind, field));
  if (strange !== undefined) throw fieldError(strange, `does not apply to ${kind} channels`);
  const secret = secretIn(kind, settings);
  const place = withToken(before, placeOf(kind, { ...before, ...settings }), secret);
  const changed = { ...channel, name, kinds: kinds ?? channel.kinds, hasPhoneLinks, place };
  refusePlain(place);
  const next = hasToken(before) && !hasToken(place) ? null : (secret ?? undefined);
  // A crash in between leaves the new server without a token, and never with the other server's.
  if (next !== undefined && 'hasToken' in place) deps.setSecret(channel.id, null);
  put(deps, changed);
  if (next !== undefined && next !== null) deps.setSecret(channel.id, next);
  return changed;
};

const takes = (kind: ChannelKind, field: string): boolean =>
  field === 'allowPrivate' ? entryOf(kind).mayBePrivate === true : Object.hasOwn(entryOf(kind).fields, field);

/** A token belongs to one server: another begins without it. */
const withToken = (before: Place, after: Place, token: string | null | undefined): Place => {
  if (!('hasToken' in after)) return after;
  const isKept = token === undefined && hasToken(before) && urlOf(before)?.origin === urlOf(after)?.origin;
  return { ...after, hasToken: isKept || (token !== undefined && token !== null) };
};

const hasToken = (place: Place): boolean => 'hasToken' in place && place.hasToken;
/** Undefined where its kind has no URL of the owner's choice. */
const urlOf = (place: Place): URL | undefined => {
  const field = urlField(place.kind);
  return field && new URL(String((place as Fields)[field.name]));
};

const refusePlain = (place: Place): void => {
  const isAllowed = 'allowPrivate' in place && place.allowPrivate;
  if (isAllowed || (urlOf(place)?.protocol ?? 'https:') === 'https:') return;
  const unless = 'allowPrivate' in place ? ', unless you allow private addresses' : '';
  throw fieldError(urlField(place.kind)?.name ?? 'kind', `must be https${unless}`);
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
    trouble: trouble.waiting + trouble.failed === 0 ? null : trouble,
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
