// `treasury delegate`: keys with limits of their own, for sub-agents and tasks.
import type { Command } from 'commander';
import { unknownServicesTold } from '../../contract/limits/service-limits.ts';
import type { Reply } from '../../contract/schemas.ts';
import { dateOrTime } from '../arguments.ts';
import { addLimitOptions, changeIn } from './policy-options.ts';
import { asAgentOrOwner, asOwner } from '../session.ts';
import { facts, inert, moment, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

export const addDelegate = (program: Command, terminal: () => Terminal): void => {
  const delegate = program
    .command('delegate')
    .description('keys that an agent gives to sub-agents and tasks, with limits of their own');
  delegate
    .command('list <agent>', { isDefault: true })
    .description('list the delegated keys in force')
    .action((agentId: string) => list(terminal(), agentId));
  delegate
    .command('allow <agent>')
    .description('let the agent delegate keys')
    .action((agentId: string) => setDelegation(terminal(), agentId, true));
  delegate
    .command('forbid <agent>')
    .description('end all keys that it delegated, and let it delegate no more')
    .action((agentId: string) => setDelegation(terminal(), agentId, false));
  const key = delegate
    .command('key <agent>')
    .description('make a delegated key, and show it once; it needs a daily or a total budget')
    .requiredOption('--label <text>', 'what it is for')
    .requiredOption('--until <time>', 'a date or a time, at most 30 days ahead', dateOrTime);
  addLimitOptions(key, ['expiresAt']).action((agentId: string, given: Wanted) =>
    mint(terminal(), agentId, given),
  );
  delegate
    .command('end <agent> <key>')
    .description('end a delegated key, with all that it delegated')
    .action((agentId: string, keyId: string) => end(terminal(), agentId, keyId));
};

interface Wanted extends Record<string, unknown> {
  label: string;
  until: string;
}

type Key = Reply<'endDelegatedKey'>;

const list = async (terminal: Terminal, agentId: string): Promise<void> => {
  const found = await asAgentOrOwner(terminal).ask('listDelegatedKeys', { params: { agentId } });
  show(terminal, found, () =>
    found.keys.length === 0
      ? ['No delegated key is in force.']
      : table(
          terminal,
          ['KEY', 'LABEL', 'LEVEL', 'CAN SPEND', 'ENDS', 'LAST USED'],
          found.keys.map((key) => [
            key.keyId,
            inert(key.label),
            String(key.level),
            key.spendable,
            moment(key.expiresAt),
            key.lastSeenAt === null ? 'never' : moment(key.lastSeenAt),
          ]),
        ),
  );
};

const setDelegation = async (terminal: Terminal, agentId: string, allowed: boolean): Promise<void> => {
  const body = { allowed };
  const done = await asOwner(terminal).ask('setDelegation', { params: { agentId }, body });
  show(terminal, done, () => facts([[agentId, allowed ? 'may delegate keys' : 'delegates no keys']]));
};

const mint = async (terminal: Terminal, agentId: string, given: Wanted): Promise<void> => {
  const { label, until, ...limits } = given;
  const body = { label, expiresAt: until, ...changeIn(limits) };
  const made = await asAgentOrOwner(terminal).ask('delegateKey', { params: { agentId }, body });
  show(terminal, made, () => [
    ...facts([
      ['Key', made.apiKey],
      ['Id', made.keyId],
      ['Ends', moment(made.expiresAt)],
      ['Can spend now', `${made.spendable} USDC`],
    ]),
    ...unknownServicesTold(made.unknownServices),
  ]);
};

const end = async (terminal: Terminal, agentId: string, delegatedKeyId: string): Promise<void> => {
  const params = { agentId, delegatedKeyId };
  const ended: Key = await asAgentOrOwner(terminal).ask('endDelegatedKey', { params });
  show(terminal, ended, () => facts([[inert(ended.label), 'ended']]));
};
