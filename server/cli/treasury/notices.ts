// `treasury notices`: where the owner is sent word of what happens, and which notices were sent.
import { InvalidArgumentError } from 'commander';
import {
  allFields,
  anyChannel,
  askedOf,
  channelKindNames,
  channels,
  either,
  entryOf,
  newSigningSecret,
  isInVault,
  placeField,
  placeLine,
  vaultField,
  type ChannelField,
  type ChannelKind,
  type FurtherName,
} from '../../contract/notices/channels.ts';
import {
  deliveryText,
  noticeKindNames,
  noticeKinds,
  troubleText,
  type NoticeKind,
} from '../../contract/notices/notices.ts';
import type { Reply } from '../../contract/schemas.ts';
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

const kindsText = ({ kinds }: Channel): string =>
  kinds.length === noticeKindNames.length ? 'everything' : kinds.join(', ');

const lowBalanceLines = ({ lowBalance, ofAgents }: Reply<'setLowBalance'>): string[] => [
  `A wallet is low below: ${lowBalance ?? 'never'}`,
  ...ofAgents.map((one) => inert(`  ${one.agentId}: ${one.lowBalance ?? 'never'}`)),
];

const fields = channelKindNames.flatMap(allFields);
const helpOf = (fits: (field: ChannelField) => boolean): string =>
  either(
    fields.flatMap(([, field]) => (fits(field) ? [field.help] : [])),
    ', or ',
  );
const further = Object.fromEntries(
  fields.flatMap(([name, { value, usual, help }]) => (usual === undefined ? [] : [[name, [value, help]]])),
) as unknown as Record<FurtherName, [what: string, help: string]>;
const signing = channelKindNames.filter((kind) => vaultField(kind)?.value === 'secret');

/** @throws Ending where the place is missing, or stands where none belongs */
const checkPlace = (kind: ChannelKind, place: string | undefined): void => {
  const asks = placeField(kind)?.asks;
  if ((place === undefined) === (asks === undefined)) return;
  throw new Ending(
    'usage',
    `The place of a channel of kind ${kind} is ${asks ?? entryOf(kind).fixed?.asks}.`,
  );
};

export const addNotices = commandGroup('notices', `be told what happens: by ${anyChannel('by')}`, [
  ownerCommand('list', {
    isDefault: true,
    about: 'list the channels and any delivery problem',
    examples: ['treasury notices'],
    ask: (owner) => owner.ask('listNoticeChannels'),
    show: (answer, terminal) => [
      ...listing(terminal, answer.channels, 'No channels yet. Add one: treasury notices add --help', {
        CHANNEL: 'channelId',
        NAME: 'name',
        KIND: ({ place }) => channels[place.kind].label,
        PLACE: ({ place }) => placeLine(place),
        NOTICES: kindsText,
        PROBLEM: ({ trouble }) => (trouble === null ? '' : troubleText(trouble)),
      }),
      ...lowBalanceLines(answer),
    ],
  }),
  command('add <kind> [place]', {
    about: `add a channel; ${either(signing.map((kind) => channels[kind].to))} gets a new signing secret, shown once`,
    examples: channelKindNames.flatMap((kind) => {
      const { example } = entryOf(kind);
      return example === undefined ? [] : [`treasury notices add ${kind} ${example}`];
    }),
    arguments: {
      kind: ['what it is', channelKindNames],
      place: [helpOf(({ asks }) => asks !== undefined)],
    },
    options: {
      name: ['text', 'what you call it'],
      kinds: ['list', `only these kinds, with commas: ${noticeKindNames.join(', ')}`, kindsIn],
      ...further,
      secretFd: ['n', `read ${helpOf(isInVault)}, from this file descriptor`, descriptor],
      phoneLinks: 'approvals carry their links for a registered phone there',
      allowPrivate: 'allow local addresses and plain http',
    },
    async run(terminal, { kind, place, secretFd, phoneLinks, allowPrivate, name, kinds, ...texts }) {
      checkPlace(kind, place);
      const secret = readSecret(secretFd, '--secret-fd');
      const made = signing.includes(kind) && secret === undefined ? { secret: newSigningSecret() } : null;
      const written = {
        ...texts,
        [placeField(kind)?.name ?? 'none']: place,
        [vaultField(kind)?.name ?? 'none']: made?.secret ?? secret,
      };
      const common = {
        ...(name !== undefined && { name }),
        ...(kinds && { kinds }),
        hasPhoneLinks: phoneLinks,
      };
      const body = { ...common, ...askedOf(kind, written, allowPrivate) };
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
  ownerCommand('retry <id>', {
    about:
      'try a notice again now, wherever it waits or has failed; or all that a channel could not deliver lately',
    examples: ['treasury notices retry ntc_01k2', 'treasury notices retry chn_01k2'],
    arguments: { id: ['the id of a notice or of a channel'] },
    ask: (owner, { id }): Promise<object> =>
      id.startsWith('chn_')
        ? owner.ask('retryNotices', { params: { channelId: id } })
        : owner.ask('retryNotice', { params: { noticeId: id } }),
    show: () => ['Trying again now. “treasury notices history” shows the result.'],
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
]);
