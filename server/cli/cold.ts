// `treasury cold`: the cold treasury, whose allowance its owner sets with a key that this machine never has.
import type { Command } from 'commander';
import { coldFaults } from '../contract/cold-faults.ts';
import { approveCommand, revokeCommand } from '../contract/cold-commands.ts';
import type { Reply } from '../contract/schemas.ts';
import { amount } from './arguments.ts';
import { confirm } from './ending.ts';
import { asOwner } from './session.ts';
import { facts, inert, moment } from './table.ts';
import { show, type Terminal } from './terminal.ts';

type Cold = NonNullable<Reply<'getCold'>['cold']>;

export const addCold = (program: Command, terminal: () => Terminal): void => {
  const printing = (route: 'getCold' | 'stopDrawing' | 'resumeDrawing' | 'forgetCold') => async () =>
    print(terminal(), await asOwner(terminal()).ask(route));
  const cold = program
    .command('cold')
    .description('the cold treasury: its allowance, and whether agents live from it');
  cold
    .command('show', { isDefault: true })
    .description('print what it holds, and what can still be drawn')
    .action(printing('getCold'));
  cold
    .command('set <address>')
    .description('draw allocations on the USDC of this address; asks first')
    .option('--yes', 'you are sure', false)
    .action((address: string, { yes }: { yes: boolean }) => set(terminal(), address, yes));
  cold
    .command('allow')
    .description('print the command that sets the allowance with a Ledger')
    .argument('<usdc>', 'the new allowance, which replaces the old one', amount)
    .action((wanted: string) => allow(terminal(), wanted));
  cold.command('stop').description('draw nothing until you resume').action(printing('stopDrawing'));
  cold.command('resume').description('draw on it again').action(printing('resumeDrawing'));
  cold
    .command('forget')
    .description('draw on it no more, once you have revoked the allowance')
    .action(printing('forgetCold'));
};

const set = async (terminal: Terminal, address: string, yes: boolean): Promise<void> => {
  await confirm(terminal, `Draw allocations on the USDC of ${address}?`, yes);
  print(terminal, await asOwner(terminal).ask('setCold', { body: { address } }));
};

const allow = async (terminal: Terminal, wanted: string): Promise<void> => {
  const { cold } = await asOwner(terminal).ask('getCold');
  show(terminal, { cold, command: cold === null ? null : approveCommand(cold, wanted) }, () =>
    cold === null
      ? noCold
      : [
          ...facts([
            ['Left now', `${cold.allowance} USDC`],
            ['Will be', `${wanted} USDC: a new allowance replaces the old one`],
          ]),
          approveCommand(cold, wanted),
        ].map(inert),
  );
};

const print = (terminal: Terminal, reply: Reply<'getCold'>): void =>
  show(terminal, reply, () => (reply.cold === null ? noCold : linesOf(reply.cold)));

const noCold = ['There is no cold treasury. Set one: treasury cold set ADDRESS'];

const linesOf = (cold: Cold): string[] =>
  facts([
    ['Cold treasury', cold.address],
    ['Holds', `${cold.balance} USDC`],
    ['Allowance', `${cold.allowance} USDC left of ${cold.granted}`],
    ['Drawable', `${cold.drawable} USDC`],
    ['State', stateOf(cold)],
    ['Set it', approveCommand(cold, null)],
    ['Revoke it', revokeCommand(cold)],
  ]);

const stateOf = ({ stoppedAt, pausedUntil, fault }: Cold): string => {
  if (stoppedAt !== null) return `stopped since ${moment(stoppedAt)}: treasury cold resume`;
  if (pausedUntil !== null) return `paused until ${moment(pausedUntil)}: the allowance is being changed`;
  return fault === null ? 'agents live from it' : coldFaults[fault];
};
