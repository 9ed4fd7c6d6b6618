// `treasury cold`: the cold treasury, whose allowance its owner sets with a key that this machine never has.
import type { Command } from 'commander';
import { coldFaults } from '../../contract/treasury/cold-faults.ts';
import {
  approveCommand,
  ledgerHint,
  pauseHint,
  revokeCommand,
} from '../../contract/treasury/cold-commands.ts';
import type { Reply } from '../../contract/schemas.ts';
import { formatUsdc, usdc } from '../../money.ts';
import { amount, idempotencyKey } from '../arguments.ts';
import { confirm, Ending } from '../ending.ts';
import { asOwner } from '../session.ts';
import { facts, inert, moment } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';
import { sendOut } from '../payments/withdraw.ts';

type Cold = NonNullable<Reply<'getCold'>['cold']>;

export const addCold = (program: Command, terminal: () => Terminal): void => {
  const printing = (route: 'getCold' | 'stopDrawing' | 'resumeDrawing' | 'forgetCold') => async () =>
    print(terminal(), await asOwner(terminal()).ask(route));
  const cold = program
    .command('cold')
    .description('the cold treasury: its allowance, and whether agents draw on it');
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
    .description('print the command that sets the allowance with a Ledger; draws pause for two minutes')
    .argument('<usdc>', 'the new allowance, which replaces the old one', amount)
    .action((wanted: string) => allow(terminal(), wanted));
  cold
    .command('return')
    .description('send all USDC of the treasury’s own wallet to the cold wallet; asks first')
    .option('--key <text>', 'Idempotency-Key: repeats instead of sending it again', idempotencyKey)
    .option('--yes', 'you are sure', false)
    .action((options: { key?: string; yes: boolean }) => sendBack(terminal(), options));
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
  const owner = asOwner(terminal);
  const { cold } = await owner.ask('getCold');
  if (cold !== null) await owner.ask('pauseDrawing', { body: { paused: true, page: 'treasury cold allow' } });
  show(terminal, { cold, command: cold === null ? null : approveCommand(cold, wanted) }, () =>
    cold === null
      ? noCold
      : [
          ...facts([
            ['Left now', `${cold.allowance} USDC`],
            ['Will be', `${wanted} USDC: a new allowance replaces the old one`],
          ]),
          approveCommand(cold, wanted),
          ledgerHint,
          pauseHint,
        ].map(inert),
  );
};

const sendBack = async (terminal: Terminal, options: { key?: string; yes: boolean }): Promise<void> => {
  const owner = asOwner(terminal);
  const [{ cold }, { treasury }] = await Promise.all([owner.ask('getCold'), owner.ask('dashboard')]);
  if (cold === null) throw new Ending('usage', noCold.join(''));
  const held = usdc(BigInt(treasury.amount));
  if (held === 0n)
    throw new Ending(
      'usage',
      'The treasury’s own wallet holds nothing. Take it from an agent: treasury recall',
    );
  await sendOut(terminal, { asset: 'USDC', amount: formatUsdc(held), to: cold.address }, options);
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
  return fault === null ? 'in use' : coldFaults[fault];
};
