// `treasury keys`: the API keys of an agent.
import type { Command } from 'commander';
import type { Reply } from '../../contract/schemas.ts';
import { confirm } from '../ending.ts';
import { asOwner } from '../session.ts';
import { facts, moment, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

type Key = Reply<'listKeys'>['keys'][number];

export const addKeys = (program: Command, terminal: () => Terminal): void => {
  const keys = program.command('keys').description('the API keys of an agent');
  keys
    .command('list <agent>', { isDefault: true })
    .description('list them; the keys themselves are never shown again')
    .action((agentId: string) => list(terminal(), agentId));
  keys
    .command('add <agent>')
    .description('make another key, and show it once')
    .option('--label <text>', 'what it is for')
    .action((agentId: string, { label }: { label?: string }) => add(terminal(), agentId, label));
  keys
    .command('rotate <agent> <key>')
    .description('replace a key; the old one works for another 24 hours')
    .option('--now', 'end the old one at once', false)
    .action((agentId: string, keyId: string, { now }: { now: boolean }) =>
      rotate(terminal(), { agentId, keyId }, now),
    );
  keys
    .command('revoke <agent> <key>')
    .description('end a key at once, with the requests that it made; asks first')
    .option('--yes', 'you are sure', false)
    .action((agentId: string, keyId: string, { yes }: { yes: boolean }) =>
      revoke(terminal(), { agentId, keyId }, yes),
    );
};

const list = async (terminal: Terminal, agentId: string): Promise<void> => {
  const answer = await asOwner(terminal).ask('listKeys', { params: { agentId } });
  show(terminal, answer, () =>
    answer.keys.length === 0
      ? [`${agentId} has no key. Make one: treasury keys add ${agentId}`]
      : table(
          terminal,
          ['KEY', 'LABEL', 'MADE', 'LAST USED', 'STATE'],
          answer.keys.map((key) => [
            key.keyId,
            key.label,
            moment(key.createdAt),
            key.lastSeenAt === null ? 'never' : moment(key.lastSeenAt),
            stateOf(key),
          ]),
        ),
  );
};

const stateOf = ({ revokedAt, expiresAt }: Key): string => {
  if (revokedAt !== null) return `revoked ${moment(revokedAt)}`;
  if (expiresAt === null) return 'in force';
  return Date.parse(expiresAt) > Date.now() ? `ends ${moment(expiresAt)}` : `ended ${moment(expiresAt)}`;
};

const add = async (terminal: Terminal, agentId: string, label: string | undefined): Promise<void> => {
  const body = label === undefined ? {} : { label };
  const made = await asOwner(terminal).ask('addKey', { params: { agentId }, body });
  show(terminal, made, () => newKeyLines(made));
};

interface Named {
  agentId: string;
  keyId: string;
}

const rotate = async (terminal: Terminal, params: Named, now: boolean): Promise<void> => {
  const made = await asOwner(terminal).ask('rotateKey', { params, body: { now } });
  show(terminal, made, () => [
    ...newKeyLines(made),
    now ? `${params.keyId} is revoked.` : `${params.keyId} works for another 24 hours.`,
  ]);
};

const newKeyLines = ({ keyId, mcpConfig }: Reply<'addKey'>): string[] => [
  ...facts([['Key', keyId]]),
  'Its MCP server, with the key that is shown only now:',
  JSON.stringify({ mcpServers: { 'agent-treasury': mcpConfig } }, null, 2),
];

const revoke = async (terminal: Terminal, params: Named, isConfirmed: boolean): Promise<void> => {
  const owner = asOwner(terminal);
  const question = `End the key ${params.keyId} of ${params.agentId}? Programs that use it can no longer pay.`;
  await confirm(terminal, question, isConfirmed);
  const revoked = await owner.ask('revokeKey', { params });
  show(terminal, revoked, () => facts([[revoked.keyId, stateOf(revoked)]]));
};
