// A random past of a treasury, the same for the same seed, as entries in the order of the blocks.
import { createDays } from '../../../server/lib/local-days.ts';
import {
  entriesOf,
  entryOfDeposit,
  entryOfOpening,
  type Entry,
  type Place,
} from '../../../server/books/entry.ts';
import type { Amount, BookedTransfer } from '../../../server/engine/ports.ts';
import { lamports, usdc } from '../../../server/money.ts';
import { createDice, type Dice } from '../../harness/dice.ts';

export const treasury = 'Treasury1111111111111111111111111111111111';
const cold = 'Co1d11111111111111111111111111111111111111';
/** Ids that have to stay apart as accounts. */
export const agentIds = ['scout', 'Scout', 'unallocated', 'a.b', 'a-b', '7'] as const;
const walletOf = (agentId: string): string => `wallet of ${agentId}`;
const seller = (number: number): string => `Se11er${number}`.padEnd(43, '1');

const places = new Map<string, Place>([
  [treasury, { kind: 'treasury' }],
  [cold, { kind: 'cold', address: cold }],
  ...agentIds.map((agentId): [string, Place] => [walletOf(agentId), { kind: 'agent', agentId }]),
]);
export const placeOf = (address: string): Place => places.get(address) ?? { kind: 'outside', address };

export interface PastOptions {
  seed: number;
  zone: string;
  /** The first moment. */
  start: number;
  /** At least so many entries. */
  entries: number;
  /** A text of a stranger: of a description, or the name of a service. */
  text?: (dice: Dice) => string;
}

const usualText = (dice: Dice): string => dice.pick(['Weather', 'api.example.com', 'Search', 'a, b', '']);

export const pastOf = ({ seed, zone, start, entries: least, text = usualText }: PastOptions): Entry[] => {
  const dice = createDice(seed);
  const dayAt = createDays(zone);
  const sum = (most: number): bigint => BigInt(1 + Math.floor(dice.roll() ** 4 * most));
  const serviceNames = Array.from({ length: 25 }, () => text(dice));
  let at = start;
  let seq = 0;
  const row = (given: Partial<BookedTransfer>): BookedTransfer => {
    seq += 1;
    const from = dice.pick(agentIds);
    return {
      seq,
      id: `pay_${seed}x${seq}`,
      kind: 'payment',
      isFailed: false,
      agentId: from,
      groupId: dice.isLucky(0.3) ? 'group' : null,
      payer: walletOf(from),
      payee: seller(Math.floor(dice.roll() * 40)),
      splits: [],
      serviceId: null,
      serviceName: '',
      url: null,
      description: text(dice),
      feeLamports: dice.isLucky(0.8) ? 5000n : 0n,
      rentLamports: dice.isLucky(0.05) ? 2_039_280n : 0n,
      txSignature: `tx${seed}x${seq}`,
      at,
      asset: 'USDC',
      amount: usdc(sum(2_000_000)),
      ...given,
    } as BookedTransfer;
  };
  const agent = (): string => walletOf(dice.pick(agentIds));
  const amounts = (): Amount =>
    dice.isLucky(0.3)
      ? { asset: 'SOL', amount: lamports(sum(90_000_000)) }
      : { asset: 'USDC', amount: usdc(sum(90_000_000)) };
  const deposit = (from: string): Entry => {
    const amount = amounts();
    return entryOfDeposit(
      {
        id: `dep_${seed}x${(seq += 1)}`,
        wallet: amount.asset === 'SOL' || dice.isLucky(0.7) ? treasury : agent(),
        from,
        ...amount,
        txSignature: `tx${seed}x${seq}`,
        at,
      } as Parameters<typeof entryOfDeposit>[0],
      placeOf,
    );
  };
  const transfer = (given: Partial<BookedTransfer>): Entry[] => entriesOf(row(given), placeOf);
  const payment = (given: Partial<BookedTransfer> = {}): Entry[] => {
    const number = Math.floor(dice.roll() * serviceNames.length);
    return transfer({ serviceId: `service-${number}`, serviceName: serviceNames[number] ?? '', ...given });
  };
  const split = (): Entry[] => {
    const part = usdc(sum(1000));
    const splits = [0, 1].map((number) => ({
      payee: dice.isLucky(0.2) ? agent() : seller(number),
      amount: part,
    }));
    return payment({ amount: usdc(3n * part + sum(1000)), asset: 'USDC', splits });
  };
  const owner = { agentId: null, groupId: null };
  const next = (): Entry[] => {
    const roll = dice.roll();
    if (roll < 0.6) return payment();
    if (roll < 0.65) return split();
    if (roll < 0.68) return payment({ payee: agent() });
    if (roll < 0.7) return payment({ isFailed: true });
    if (roll < 0.75) return transfer({ kind: 'allocation', payer: treasury, payee: agent() });
    if (roll < 0.79) return transfer({ kind: 'recall', payee: treasury });
    if (roll < 0.83) return transfer({ kind: 'charge', payee: treasury });
    if (roll < 0.85) return transfer({ kind: 'refund', payer: treasury, payee: agent() });
    if (roll < 0.87) return transfer({ ...owner, kind: 'withdrawal', payer: treasury, payee: seller(99) });
    if (roll < 0.88) return transfer({ ...owner, kind: 'withdrawal', payer: treasury, payee: cold });
    if (roll < 0.89) {
      const sol = { asset: 'SOL', amount: lamports(sum(10_000_000)) } as const;
      return transfer({ ...owner, ...sol, kind: 'withdrawal', payer: treasury, payee: seller(98) });
    }
    if (roll < 0.91) return transfer({ kind: 'allocation', payer: cold, payee: treasury });
    if (roll < 0.92) return payment({ payee: cold });
    return [deposit(dice.isLucky(0.2) ? cold : seller(50 + Math.floor(dice.roll() * 5)))];
  };
  const opening = (wallet: string | null, amount: bigint): Entry =>
    entryOfOpening({ wallet, amount, at: start }, placeOf);

  const entries = [
    opening(treasury, 123_456_789n),
    opening(walletOf('scout'), -4_321n),
    opening(null, 99_999n),
  ];
  while (entries.length < least) {
    const { to } = dayAt(at);
    const roll = dice.roll();
    if (roll < 0.7) at += Math.floor(dice.roll() * 600_000);
    else if (roll < 0.702) at = Math.max(at, to - 1);
    else if (roll < 0.704) at = to;
    entries.push(...next());
  }
  return entries;
};
