// `treasury keys`: the API keys of an agent.
import type { Reply } from '../../contract/schemas.ts';
import { commandGroup, ownerCommand } from '../command-row.ts';
import { facts, listing, moment } from '../table.ts';

const stateOf = ({ revokedAt, expiresAt }: Reply<'listKeys'>['keys'][number]): string => {
  if (revokedAt !== null) return `revoked ${moment(revokedAt)}`;
  if (expiresAt === null) return 'in force';
  return Date.parse(expiresAt) > Date.now() ? `ends ${moment(expiresAt)}` : `ended ${moment(expiresAt)}`;
};

export const mcpServerLines = (heading: string, mcpConfig: Reply<'addKey'>['mcpConfig']): string[] => [
  `${heading}, with the key that is shown only now:`,
  JSON.stringify({ mcpServers: { 'agent-treasury': mcpConfig } }, null, 2),
];

const newKeyLines = ({ keyId, mcpConfig }: Reply<'addKey'>): string[] => [
  ...facts([['Key', keyId]]),
  ...mcpServerLines('Its MCP server', mcpConfig),
];

export const addKeys = commandGroup('keys', 'the API keys of an agent', [
  ownerCommand('list <agent>', {
    isDefault: true,
    about: 'list them; the keys themselves are never shown again',
    examples: ['treasury keys scout'],
    ask: (owner, { agent: agentId }) => owner.ask('listKeys', { params: { agentId } }),
    show: ({ keys }, terminal, { agent }) =>
      listing(terminal, keys, `${agent} has no key. Make one: treasury keys add ${agent}`, {
        KEY: 'keyId',
        LABEL: 'label',
        MADE: ({ createdAt }) => moment(createdAt),
        'LAST USED': ({ lastSeenAt }) => (lastSeenAt === null ? 'never' : moment(lastSeenAt)),
        STATE: stateOf,
      }),
  }),
  ownerCommand('add <agent>', {
    about: 'make another key, and show it once',
    examples: ['treasury keys add scout --label "the laptop"'],
    options: { label: ['text', 'what it is for'] },
    ask: (owner, { agent: agentId, ...body }) => owner.ask('addKey', { params: { agentId }, body }),
    show: newKeyLines,
  }),
  ownerCommand('rotate <agent> <key>', {
    about: 'replace a key; the old one works for another 24 hours',
    examples: [
      'treasury keys rotate scout key_01k2',
      'treasury keys rotate scout key_01k2 --now  # after a key was seen by others',
    ],
    options: { now: 'end the old one at once' },
    ask: (owner, { agent: agentId, key: keyId, now }) =>
      owner.ask('rotateKey', { params: { agentId, keyId }, body: { now } }),
    show: (made, _, { key, now }) => [
      ...newKeyLines(made),
      now ? `${key} is revoked.` : `${key} works for another 24 hours.`,
    ],
  }),
  ownerCommand('revoke <agent> <key>', {
    about: 'end a key at once, with the requests that it made; asks first',
    examples: ['treasury keys revoke scout key_01k2'],
    confirm: ({ agent, key }) => `End the key ${key} of ${agent}? Programs that use it can no longer pay.`,
    ask: (owner, { agent: agentId, key: keyId }) => owner.ask('revokeKey', { params: { agentId, keyId } }),
    show: (revoked) => facts([[revoked.keyId, stateOf(revoked)]]),
  }),
]);
