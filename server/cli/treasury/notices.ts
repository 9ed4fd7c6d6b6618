// `treasury notices`: where the owner is told what happens, and what was told.
import { randomBytes } from 'node:crypto';
import { Argument, InvalidArgumentError, type Command } from 'commander';
import {
  channelKindNames,
  channelKinds,
  noticeKindNames,
  noticeKinds,
  type ChannelKind,
  type NoticeKind,
} from '../../contract/notices/notices.ts';
import type { Input, Reply } from '../../contract/schemas.ts';
import { descriptor, limit, readSecret, wholeNumber } from '../arguments.ts';
import { confirm, Ending } from '../ending.ts';
import { asOwner } from '../session.ts';
import { facts, inert, moment, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

type Channel = Reply<'addNoticeChannel'>;

export const addNotices = (program: Command, terminal: () => Terminal): void => {
  const notices = program
    .command('notices')
    .description('be told what happens: by webhook, e-mail, ntfy or on the desktop');
  notices
    .command('list', { isDefault: true })
    .description('list the channels and any delivery problem')
    .action(() => list(terminal()));
  notices
    .command('add')
    .description('add a channel; a webhook gets a new signing secret, shown once')
    .addArgument(new Argument('<kind>', 'what it is').choices(channelKindNames))
    .argument('[place]', 'the URL of a webhook, an e-mail address, or an ntfy topic')
    .option('--name <text>', 'what you call it')
    .option('--kinds <list>', `only these kinds, with commas: ${noticeKindNames.join(', ')}`, kindsIn)
    .option('--server <url>', 'an ntfy server other than ntfy.sh')
    .option(
      '--secret-fd <n>',
      'read the webhook’s secret, or the ntfy token, from this file descriptor',
      descriptor,
    )
    .option('--phone-links', 'approvals carry their links for a registered phone there', false)
    .option('--allow-private', 'it may be on this machine or network, also without https', false)
    .action((kind: ChannelKind, place: string | undefined, options: AddOptions) =>
      add(terminal(), kind, place, options),
    );
  notices
    .command('test <channel>')
    .description('send a test notice now, and print what the endpoint said')
    .action((channelId: string) => test(terminal(), channelId));
  notices
    .command('remove <channel>')
    .description('remove a channel; asks first')
    .option('--yes', 'you are sure', false)
    .action((channelId: string, { yes }: { yes: boolean }) => remove(terminal(), channelId, yes));
  notices
    .command('history')
    .description('what was told in the last 30 days, and what could not be')
    .option('--failed', 'only what failed on a channel', false)
    .option('--limit <n>', 'at most this many', wholeNumber, 20)
    .action((options: { failed: boolean; limit: number }) => history(terminal(), options));
  notices
    .command('retry <notice>')
    .description('try a notice again now, wherever it waits or has failed')
    .action((noticeId: string) => retry(terminal(), noticeId));
  notices
    .command('low-balance')
    .description('when an agent’s wallet is low')
    .argument('<amount>', 'USDC, or "never"; for one agent also "common"', lowBalanceIn)
    .option('--agent <agent>', 'for this agent alone')
    .action((amount: string | null, { agent }: { agent?: string }) => lowBalance(terminal(), amount, agent));
};

interface AddOptions {
  name?: string;
  kinds?: NoticeKind[];
  server?: string;
  secretFd?: number;
  phoneLinks: boolean;
  allowPrivate: boolean;
}

const kindsIn = (text: string): NoticeKind[] => {
  const named = text.split(',').map((one) => one.trim());
  const unknown = named.find((one) => !(noticeKindNames as string[]).includes(one));
  if (unknown === undefined) return named as NoticeKind[];
  throw new InvalidArgumentError(`There is no kind ${unknown}. Choose from ${noticeKindNames.join(', ')}.`);
};

const lowBalanceIn = (text: string): string | null =>
  text === 'never' ? null : text === 'common' ? text : limit(text);

const list = async (terminal: Terminal): Promise<void> => {
  const answer = await asOwner(terminal).ask('listNoticeChannels');
  show(terminal, answer, () => [
    ...(answer.channels.length === 0
      ? ['No channels yet. Add one: treasury notices add --help']
      : table(
          terminal,
          ['CHANNEL', 'NAME', 'KIND', 'PLACE', 'NOTICES', 'PROBLEM'],
          answer.channels.map((channel) => [
            channel.channelId,
            channel.name,
            channelKinds[channel.place.kind],
            placeText(channel),
            toldText(channel),
            troubleText(channel),
          ]),
        )),
    `A wallet is low below: ${answer.lowBalance ?? 'never'}`,
    ...answer.ofAgents.map((one) => inert(`  ${one.agentId}: ${one.lowBalance ?? 'never'}`)),
  ]);
};

const placeText = ({ place }: Channel): string => {
  if (place.kind === 'webhook') return place.url;
  if (place.kind === 'email') return place.to;
  return place.kind === 'ntfy' ? `${place.topic} at ${new URL(place.server).host}` : '';
};

const toldText = ({ kinds }: Channel): string =>
  kinds.length === noticeKindNames.length ? 'everything' : kinds.join(', ');

const troubleText = ({ trouble }: Channel): string =>
  trouble === null ? '' : `${trouble.waiting} waiting: ${trouble.answer ?? ''}`;

const add = async (
  terminal: Terminal,
  kind: ChannelKind,
  place: string | undefined,
  options: AddOptions,
): Promise<void> => {
  if ((place === undefined) !== (kind === 'desktop'))
    throw new Ending('usage', `The place of a channel of kind ${kind} is ${placeOfKind[kind]}.`);
  const given = readSecret(options.secretFd, '--secret-fd');
  const secret = kind === 'webhook' && given === undefined ? newSecret() : given;
  const body = bodyOf(kind, place ?? '', { ...options, ...(secret === undefined ? {} : { secret }) });
  const added = await asOwner(terminal).ask('addNoticeChannel', { body });
  const isNew = kind === 'webhook' && given === undefined;
  show(terminal, isNew ? { ...added, secret } : added, () => [
    ...facts([
      [added.channelId, added.name],
      ['told', toldText(added)],
    ]),
    ...(isNew ? [`Its signing secret, which is shown only now: ${secret}`] : []),
    `Try it: treasury notices test ${added.channelId}`,
  ]);
};

const placeOfKind: Record<ChannelKind, string> = {
  desktop: 'this desktop: leave it out',
  webhook: 'a URL',
  email: 'an e-mail address',
  ntfy: 'a topic',
};

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const bodyOf = (
  kind: ChannelKind,
  place: string,
  { name, kinds, server, phoneLinks, allowPrivate, secret = '' }: AddOptions & { secret?: string },
): NonNullable<Input<'addNoticeChannel'>['body']> => {
  const common = {
    ...(name === undefined ? {} : { name }),
    ...(kinds === undefined ? {} : { kinds }),
    hasPhoneLinks: phoneLinks,
  };
  switch (kind) {
    case 'desktop':
      return { ...common, kind };
    case 'webhook':
      return { ...common, kind, url: place, allowPrivate, secret };
    case 'email':
      return { ...common, kind, to: place };
    case 'ntfy':
      return {
        ...common,
        kind,
        topic: place,
        allowPrivate,
        ...(server === undefined ? {} : { server }),
        ...(secret === '' ? {} : { token: secret }),
      };
  }
};

const test = async (terminal: Terminal, channelId: string): Promise<void> => {
  const tested = await asOwner(terminal).ask('testNoticeChannel', { params: { channelId } });
  show(terminal, tested, () => [
    inert(`${tested.delivered ? 'Delivered' : 'Not delivered'}. ${tested.answer}`),
  ]);
  if (!tested.delivered) throw new Ending('failed', 'The test notice was not delivered.');
};

const remove = async (terminal: Terminal, channelId: string, isConfirmed: boolean): Promise<void> => {
  const owner = asOwner(terminal);
  await confirm(terminal, `Remove the channel ${channelId}, and tell nothing there?`, isConfirmed);
  const removed = await owner.ask('removeNoticeChannel', { params: { channelId } });
  show(terminal, removed, () => ['Removed.']);
};

const history = async (
  terminal: Terminal,
  { failed, limit: most }: { failed: boolean; limit: number },
): Promise<void> => {
  const query = { limit: String(most), failed: failed ? 'true' : 'false' } as const;
  const answer = await asOwner(terminal).ask('listNotices', { query });
  show(terminal, answer, () =>
    answer.notices.length === 0
      ? [failed ? 'Nothing failed.' : 'No notice was sent yet.']
      : table(
          terminal,
          ['NOTICE', 'TIME', 'KIND', 'TITLE', 'CHANNELS'],
          answer.notices.map((notice) => [
            notice.noticeId,
            moment(notice.timestamp),
            noticeKinds[notice.kind].label,
            notice.count === 1 ? notice.title : `${notice.title} (${notice.count} times)`,
            notice.deliveries.map(deliveryText).join('; '),
          ]),
        ),
  );
};

const deliveryText = ({ channel, state, answer }: Reply<'retryNotice'>['deliveries'][number]): string =>
  state === 'delivered'
    ? `${channel}: delivered`
    : `${channel}: ${state}${answer === null ? '' : `, ${answer}`}`;

const retry = async (terminal: Terminal, noticeId: string): Promise<void> => {
  const again = await asOwner(terminal).ask('retryNotice', { params: { noticeId } });
  show(terminal, again, () => ['It is tried again now. “treasury notices history” says what comes of it.']);
};

const lowBalance = async (
  terminal: Terminal,
  amount: string | null,
  agentId: string | undefined,
): Promise<void> => {
  const body = { lowBalance: amount, ...(agentId === undefined ? {} : { agentId }) };
  const answer = await asOwner(terminal).ask('setLowBalance', { body });
  show(terminal, answer, () => [
    `A wallet is low below: ${answer.lowBalance ?? 'never'}`,
    ...answer.ofAgents.map((one) => inert(`  ${one.agentId}: ${one.lowBalance ?? 'never'}`)),
  ]);
};
