// `treasury withdraw`: USDC or SOL out of the treasury, to an address that is shown whole before it is asked for.
import {
  accountReserveLamports,
  formatSol,
  formatUsdc,
  lamports,
  parseSol,
  parseUsdc,
  usdc,
} from '../../money.ts';
import {
  lockedWords,
  recipientsOf,
  recipientWords,
  withdrawalsIn,
} from '../../contract/treasury/recipients.ts';
import { AppError } from '../../errors.ts';
import { idempotencyKey, once } from '../arguments.ts';
import { command, sure } from '../command-row.ts';
import { confirm, Ending } from '../ending.ts';
import { asOwner } from '../session.ts';
import { facts, inert, moment } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

export const addWithdraw = command('withdraw <amount> <address>', {
  about: 'send USDC or SOL out of the treasury; asks first',
  examples: [
    'treasury withdraw 25 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
    'treasury withdraw 0.5 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --sol',
    'treasury withdraw 0.05 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --refund-of 5VERv8NM…',
  ],
  arguments: {
    amount: ['how much, in USDC unless --sol is given; or all'],
    address: ['the wallet that gets it'],
  },
  options: {
    sol: 'send SOL instead of USDC',
    refundOf: ['transaction', 'send this deposit back to its payer, in part or whole, once'],
    key: ['text', 'Idempotency-Key: repeats instead of sending it again', idempotencyKey],
    yes: sure,
  },
  async run(terminal, { amount: wished, address: to, sol, refundOf, ...options }) {
    if (sol && refundOf !== undefined)
      throw new Ending('usage', '--refund-of sends a deposit of USDC back: leave --sol out.');
    const amount = wished === 'all' ? await allOf(terminal, sol) : amountOf(wished, sol);
    const refund = refundOf === undefined ? {} : { refundOf };
    await sendOut(
      terminal,
      sol ? { asset: 'SOL', amount, to } : { asset: 'USDC', amount, to, ...refund },
      options,
    );
  },
});

const minimum = formatSol(lamports(accountReserveLamports));

/** The most that can go now. @throws Ending when that is nothing */
const allOf = async (terminal: Terminal, sol: boolean): Promise<string> => {
  const { treasury } = await asOwner(terminal).ask('dashboard');
  const most = sol ? treasury.withdrawableSol : formatUsdc(usdc(BigInt(treasury.amount)));
  if (!/[1-9]/.test(most))
    throw new Ending(
      'refused',
      sol
        ? `No SOL can be withdrawn: the treasury holds ${treasury.sol} SOL, and its account keeps at least ${minimum} SOL.`
        : 'No USDC can be withdrawn: the treasury holds none. Take back the money of an agent: treasury recall AGENT all',
    );
  if (sol)
    terminal.note(
      `${most} SOL can go. The rest stays: ${minimum} SOL, which an account must keep, and the rent of each USDC account (0.00203928 SOL), which stays in that account. A wallet app that you open with your recovery phrase can close the accounts and take these as well.`,
    );
  return most;
};

/** Asks, with the whole address, and sends once. @throws Ending when it is not confirmed */
export const sendOut = async (
  terminal: Terminal,
  body: { asset: 'USDC' | 'SOL'; amount: string; to: string; refundOf?: string },
  { yes, key }: { yes: boolean; key?: string | undefined },
): Promise<void> => {
  const { asset, amount, to } = body;
  const owner = asOwner(terminal);
  const { agents, locked } = await owner.ask('dashboard');
  // A withdrawal that was made is repeated by its key, also while the treasury is locked.
  if (locked && key === undefined) throw new AppError('locked', lockedWords);
  const [{ cold }, { labels }, withdrawals] = await Promise.all([
    owner.ask('getCold'),
    owner.ask('listLabels'),
    withdrawalsIn((query) => owner.ask('activity', { query })),
  ]);
  const known = recipientsOf({ cold: cold?.address ?? null, agents, withdrawals, labels, when: moment });
  const words = inert(recipientWords(known, to));
  await confirm(terminal, `${words} Send ${amount} ${asset} out of the treasury to ${to}?`, yes);
  const sent = await once(key, (used) => owner.ask('withdraw', { body, key: used }));
  show(terminal, sent, () =>
    facts([
      ['Withdrawn', `${sent.amount} ${sent.currency} to ${to}, ${sent.status}`],
      ['Balance', `${sent.balance} USDC in the treasury`],
      ['Transfer', sent.transferId],
      ['Signature', sent.txSignature ?? 'none'],
    ]),
  );
};

/** @throws Ending unless it is an amount above zero */
const amountOf = (text: string, sol: boolean): string => {
  const [usdcUnits, solUnits] = [parseUsdc(text), parseSol(text)];
  if (sol && solUnits !== null && solUnits > 0n) return formatSol(solUnits);
  if (!sol && usdcUnits !== null && usdcUnits > 0n) return formatUsdc(usdcUnits);
  const [example, digits] = sol ? ['0.5', 'nine'] : ['1.50', 'six'];
  throw new Ending(
    'usage',
    `The amount must be above zero, such as ${example}, with at most ${digits} decimals.`,
  );
};
