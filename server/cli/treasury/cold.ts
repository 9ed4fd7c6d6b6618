// `treasury cold`: the cold wallet, whose allowance its owner sets with a key that this machine never has.
import { coldFaults } from '../../contract/treasury/cold-faults.ts';
import {
  approveCommand,
  ledgerHint,
  pauseHint,
  revokeCommand,
  stopHint,
} from '../../contract/treasury/cold-commands.ts';
import type { Reply } from '../../contract/schemas.ts';
import { formatUsdc, usdc } from '../../money.ts';
import { amount, idempotencyKey } from '../arguments.ts';
import { command, commandGroup, ownerCommand, sure } from '../command-row.ts';
import { confirm, Ending } from '../ending.ts';
import { asOwner } from '../session.ts';
import { facts, inert, moment } from '../table.ts';
import { show } from '../terminal.ts';
import { sendOut } from '../payments/withdraw.ts';

type Cold = NonNullable<Reply<'getCold'>['cold']>;

const noCold = ['There is no cold wallet. Set one: treasury cold set ADDRESS'];

const stateOf = ({ stoppedAt, pausedUntil, fault }: Cold): string => {
  if (stoppedAt !== null) return `stopped since ${moment(stoppedAt)}: treasury cold resume`;
  if (pausedUntil !== null) return `paused until ${moment(pausedUntil)}: the allowance is being changed`;
  // A newer treasury may have further faults.
  return fault === null ? 'in use' : ((coldFaults as Readonly<Record<string, string>>)[fault] ?? fault);
};

const coldLines = ({ cold }: Reply<'getCold'>): string[] => {
  if (cold === null) return noCold;
  return facts([
    ['Cold wallet', cold.address],
    ['Holds', `${cold.balance} USDC`],
    ['Allowance', `${cold.allowance} USDC left of ${cold.granted}`],
    ['Can be drawn', `${cold.drawable} USDC`],
    ['State', stateOf(cold)],
    ['Set it', approveCommand(cold, null)],
    ['Revoke it', revokeCommand(cold)],
  ]);
};

export const addCold = commandGroup('cold', 'the cold wallet: its allowance, and whether agents draw on it', [
  ownerCommand('show', {
    isDefault: true,
    about: 'print what it holds, and what can still be drawn',
    examples: ['treasury cold'],
    ask: (owner) => owner.ask('getCold'),
    show: coldLines,
  }),
  command('set <address>', {
    about: 'draw allocations on the USDC of this address; asks first',
    examples: ['treasury cold set 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'],
    options: { yes: sure },
    async run(terminal, { address, yes }) {
      await confirm(terminal, `Draw allocations on the USDC of ${address}?`, yes);
      const reply = await asOwner(terminal).ask('setCold', { body: { address } });
      show(terminal, reply, () => coldLines(reply));
    },
  }),
  ownerCommand('allow <usdc>', {
    about: 'print the command that sets the allowance with a Ledger; draws pause for two minutes',
    examples: ['treasury cold allow 50'],
    arguments: { usdc: ['the new allowance, which replaces the old one', amount] },
    async ask(owner, { usdc: wanted }) {
      const { cold } = await owner.ask('getCold');
      if (cold === null) return { cold, command: null };
      await owner.ask('pauseDrawing', { body: { paused: true, page: 'treasury cold allow' } });
      return { cold, command: approveCommand(cold, wanted) };
    },
    show: ({ cold, command: approve }, _, { usdc: wanted }) =>
      cold === null
        ? noCold
        : [
            ...facts([
              ['Left now', `${cold.allowance} USDC`],
              ['Will be', `${wanted} USDC: a new allowance replaces the old one`],
            ]),
            approve,
            ledgerHint,
            pauseHint,
          ].map(inert),
  }),
  command('return', {
    about: 'send all USDC of the treasury’s own wallet to the cold wallet; asks first',
    examples: ['treasury cold return'],
    options: {
      key: ['text', 'Idempotency-Key: repeats instead of sending it again', idempotencyKey],
      yes: sure,
    },
    async run(terminal, options) {
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
    },
  }),
  ownerCommand('stop', {
    about: 'draw nothing until you resume',
    examples: ['treasury cold stop'],
    ask: (owner) => owner.ask('stopDrawing'),
    show: (reply) => [...coldLines(reply), stopHint],
  }),
  ownerCommand('resume', {
    about: 'draw on it again',
    examples: ['treasury cold resume'],
    ask: (owner) => owner.ask('resumeDrawing'),
    show: coldLines,
  }),
  ownerCommand('forget', {
    about: 'draw on it no more, once you have revoked the allowance',
    examples: ['treasury cold forget'],
    ask: (owner) => owner.ask('forgetCold'),
    show: coldLines,
  }),
]);
