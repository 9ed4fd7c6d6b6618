// `treasury notices`: where the owner is sent word of what happens, and which notices were sent.
import { randomBytes } from 'node:crypto';
import { InvalidArgumentError } from 'commander';
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
import { command, commandGroup, ownerCommand } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { asOwner } from '../session.ts';
import { facts, inert, listing, moment } from '../table.ts';
import { show } from '../terminal.ts';

type Channel = Reply<'addNoticeChannel'>;

const kindsIn = (text: string): NoticeKind[] => {
  const named = text.split(',').map((one) => one.trim());
  const unknown = named.find((one) => !(noticeKindNames as string[]).includes(one));
  if (unknown === undefined) return named as NoticeKind[];
  throw new InvalidArgumentError(`There is no kind ${unknown}. Choose from ${noticeKindNames.join(', ')}.`);
};

const lowBalanceIn = (text: string): string | null =>
  text === 'never' ? null : text === 'common' ? text : limit(text);

const placeText = ({ place }: Channel): string => {
  if (place.kind === 'webhook') return place.url;
  if (place.kind === 'email') return place.to;
  return place.kind === 'ntfy' ? `${place.topic} at ${new URL(place.server).host}` : '';
};

const kindsText = ({ kinds }: Channel): string =>
  kinds.length === noticeKindNames.length ? 'everything' : kinds.join(', ');

const troubleText = ({ trouble }: Channel): string =>
  trouble === null ? '' : `${trouble.waiting} waiting: ${trouble.answer ?? ''}`;

const deliveryText = ({ channel, state, answer }: Reply<'retryNotice'>['deliveries'][number]): string =>
  state === 'delivered'
    ? `${channel}: delivered`
    : `${channel}: ${state}${answer === null ? '' : `, ${answer}`}`;

const lowBalanceLines = ({ lowBalance, ofAgents }: Reply<'setLowBalance'>): string[] => [
  `A wallet is low below: ${lowBalance ?? 'never'}`,
  ...ofAgents.map((one) => inert(`  ${one.agentId}: ${one.lowBalance ?? 'never'}`)),
];

const placeOfKind: Record<ChannelKind, string> = {
  desktop: 'this desktop: leave it out',
  webhook: 'a URL',
  email: 'an e-mail address',
  ntfy: 'a topic',
};

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

interface ChannelOptions {
  name?: string;
  kinds?: NoticeKind[];
  server?: string;
  secret?: string | undefined;
  phoneLinks: boolean;
  allowPrivate: boolean;
}

const bodyOf = (
  kind: ChannelKind,
  place: string,
  { server, secret = '', phoneLinks: hasPhoneLinks, allowPrivate, ...named }: ChannelOptions,
): NonNullable<Input<'addNoticeChannel'>['body']> => {
  const common = { ...named, hasPhoneLinks };
  if (kind === 'desktop') return { ...common, kind };
  if (kind === 'email') return { ...common, kind, to: place };
  if (kind === 'webhook') return { ...common, kind, url: place, allowPrivate, secret };
  const token = secret === '' ? {} : { token: secret };
  return { ...common, kind, topic: place, allowPrivate, ...(server !== undefined && { server }), ...token };
};

export const addNotices = commandGroup(
  'notices',
  'be told what happens: by webhook, e-mail, ntfy or on the desktop',
  [
    ownerCommand('list', {
      isDefault: true,
      about: 'list the channels and any delivery problem',
      examples: ['treasury notices'],
      ask: (owner) => owner.ask('listNoticeChannels'),
      show: (answer, terminal) => [
        ...listing(terminal, answer.channels, 'No channels yet. Add one: treasury notices add --help', {
          CHANNEL: 'channelId',
          NAME: 'name',
          KIND: ({ place }) => channelKinds[place.kind],
          PLACE: placeText,
          NOTICES: kindsText,
          PROBLEM: troubleText,
        }),
        ...lowBalanceLines(answer),
      ],
    }),
    command('add <kind> [place]', {
      about: 'add a channel; a webhook gets a new signing secret, shown once',
      examples: [
        'treasury notices add webhook https://hooks.example.com/treasury --kinds approval,frozen,halted',
        'treasury notices add email me@example.com',
        'treasury notices add ntfy my-treasury-7f3k --secret-fd 3 3< ntfy-token.txt',
      ],
      arguments: {
        kind: ['what it is', channelKindNames],
        place: ['the URL of a webhook, an e-mail address, or an ntfy topic'],
      },
      options: {
        name: ['text', 'what you call it'],
        kinds: ['list', `only these kinds, with commas: ${noticeKindNames.join(', ')}`, kindsIn],
        server: ['url', 'an ntfy server other than ntfy.sh'],
        secretFd: [
          'n',
          'read the webhook’s secret, or the ntfy token, from this file descriptor',
          descriptor,
        ],
        phoneLinks: 'approvals carry their links for a registered phone there',
        allowPrivate: 'it may be on this machine or network, also without https',
      },
      async run(terminal, { kind, place, secretFd, ...options }) {
        if ((place === undefined) !== (kind === 'desktop'))
          throw new Ending('usage', `The place of a channel of kind ${kind} is ${placeOfKind[kind]}.`);
        const secret = readSecret(secretFd, '--secret-fd');
        const made = kind === 'webhook' && secret === undefined ? { secret: newSecret() } : null;
        const body = bodyOf(kind, place ?? '', { ...options, secret, ...made });
        const added = await asOwner(terminal).ask('addNoticeChannel', { body });
        show(terminal, { ...added, ...made }, () => [
          ...facts([
            [added.channelId, added.name],
            ['notices', kindsText(added)],
          ]),
          ...(made === null ? [] : [`Its signing secret, which is shown only now: ${made.secret}`]),
          `Try it: treasury notices test ${added.channelId}`,
        ]);
      },
    }),
    ownerCommand('test <channel>', {
      about: 'send a test notice now, and print what the endpoint said',
      examples: ['treasury notices test chn_01k2'],
      ask: (owner, { channel: channelId }) => owner.ask('testNoticeChannel', { params: { channelId } }),
      show: ({ delivered, answer }) => [inert(`${delivered ? 'Delivered' : 'Not delivered'}. ${answer}`)],
      after({ delivered }) {
        if (!delivered) throw new Ending('failed', 'The test notice was not delivered.');
      },
    }),
    ownerCommand('remove <channel>', {
      about: 'remove a channel; asks first',
      examples: ['treasury notices remove chn_01k2'],
      confirm: ({ channel }) => `Remove the channel ${channel}, and send nothing there?`,
      ask: (owner, { channel: channelId }) => owner.ask('removeNoticeChannel', { params: { channelId } }),
      show: () => ['Removed.'],
    }),
    ownerCommand('history', {
      about: 'notices of the last 30 days, and what could not be delivered',
      examples: ['treasury notices history', 'treasury notices history --failed'],
      options: {
        failed: 'only what failed on a channel',
        limit: ['n', 'at most this many', wholeNumber, 20],
      },
      ask: (owner, { failed, limit: most }) =>
        owner.ask('listNotices', { query: { limit: `${most}`, failed: `${failed}` } }),
      show: ({ notices }, terminal, { failed }) =>
        listing(terminal, notices, failed ? 'Nothing failed.' : 'No notice was sent yet.', {
          NOTICE: 'noticeId',
          TIME: ({ timestamp }) => moment(timestamp),
          KIND: ({ kind }) => noticeKinds[kind].label,
          TITLE: ({ title, count }) => (count === 1 ? title : `${title} (${count} times)`),
          CHANNELS: ({ deliveries }) => deliveries.map(deliveryText).join('; '),
        }),
    }),
    ownerCommand('retry <notice>', {
      about: 'try a notice again now, wherever it waits or has failed',
      examples: ['treasury notices retry ntc_01k2'],
      ask: (owner, { notice: noticeId }) => owner.ask('retryNotice', { params: { noticeId } }),
      show: () => ['It is tried again now. “treasury notices history” says what comes of it.'],
    }),
    ownerCommand('low-balance <amount>', {
      about: 'when an agent’s wallet is low',
      examples: ['treasury notices low-balance 2.00', 'treasury notices low-balance never --agent scout'],
      arguments: { amount: ['USDC, or "never"; for one agent also "common"', lowBalanceIn] },
      options: { agent: ['agent', 'for this agent alone'] },
      ask: (owner, { amount: lowBalance, agent: agentId }) =>
        owner.ask('setLowBalance', { body: { lowBalance, ...(agentId !== undefined && { agentId }) } }),
      show: lowBalanceLines,
    }),
  ],
);
