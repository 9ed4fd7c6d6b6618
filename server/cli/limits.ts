// `treasury limits`: what is used of an agent's budgets and numbers of payments.
import type { Command } from 'commander';
import { fieldNamed } from '../contract/policy-fields.ts';
import { asAgentOrOwner } from './session.ts';
import { facts, moment, table } from './table.ts';
import { show, type Terminal } from './terminal.ts';

export const addLimits = (program: Command, terminal: () => Terminal): void => {
  program
    .command('limits <agent>')
    .description('print what is used of an agent’s budgets and numbers of payments')
    .action((agentId: string) => limits(terminal(), agentId));
};

const limits = async (terminal: Terminal, agentId: string): Promise<void> => {
  const found = await asAgentOrOwner(terminal).ask('getLimits', { params: { agentId } });
  show(terminal, found, () => [
    ...table(
      terminal,
      ['LIMIT', 'USED', 'OF', 'LEFT', 'FREE AGAIN'],
      [...found.budgets, ...found.rates].map(({ field, used, limit, left, freeAt }) => [
        fieldNamed(field)?.command.label ?? field,
        String(used),
        String(limit),
        String(left),
        moment(freeAt),
      ]),
    ),
    ...facts([
      ...found.forecast.usedUp.map(
        ({ field, at, basis }) =>
          [fieldNamed(field)?.command.label ?? field, `used up at ${moment(at)}, ${basis}`] as const,
      ),
      ...(found.forecast.monthEnd === null
        ? []
        : [
            [
              'This month',
              `${found.forecast.monthEnd.amount} USDC, ${found.forecast.monthEnd.basis}`,
            ] as const,
          ]),
      ...(found.opensAt === null ? [] : [['Pays again in its hours from', moment(found.opensAt)] as const]),
      ...(found.expiresAt === null ? [] : [['Ends', moment(found.expiresAt)] as const]),
    ]),
  ]);
};
