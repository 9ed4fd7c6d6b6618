// `treasury policy`: prints an agent's policy, or changes the given fields.
import type { Command } from 'commander';
import { unknownServicesTold } from '../../contract/limits/service-limits.ts';
import { fieldEntries } from '../../contract/limits/policy-fields.ts';
import type { Reply } from '../../contract/schemas.ts';
import { reasonFrom, reasonOption } from '../arguments.ts';
import { changeIn, optionOf, printed } from './policy-options.ts';
import { asAgentOrOwner, showAnswer } from '../session.ts';
import { facts } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** Commander derives these names from the options; they equal the API's. */
type Change = Record<string, unknown> & { reason?: string };

export const addPolicy = (program: Command, terminal: () => Terminal): void => {
  const command = program
    .command('policy <agent>')
    .description('print an agent’s policy, or change the fields that are given');
  for (const [name, field] of fieldEntries) command.addOption(optionOf(name, field));
  command
    .option(...reasonOption)
    .action((agentId: string, change: Change) => policy(terminal(), agentId, change));
};

const policy = async (terminal: Terminal, agentId: string, given: Change): Promise<void> => {
  const session = asAgentOrOwner(terminal);
  const params = { agentId };
  const { reason, ...fields } = given;
  const change = changeIn(fields);
  const isRead = Object.keys(change).length === 0;
  if (isRead) showAnswer<'getPolicy'>(terminal, await session.ask('getPolicy', { params }), linesOf);
  else {
    const body = { ...change, ...reasonFrom(session.role, reason) };
    showAnswer<'setPolicy'>(terminal, await session.ask('setPolicy', { params, body }), linesOf);
  }
};

const linesOf = ({ policy: rules, unknownServices }: Reply<'setPolicy'>): string[] => [
  ...facts(
    fieldEntries.map(([name, field]) => {
      const { label, before = '' } = field.command;
      return [label, `${before}${printed(field, rules[name])}`];
    }),
  ),
  ...unknownServicesTold(unknownServices),
];
