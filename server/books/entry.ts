// The neutral entry of the books: one movement of money between two places, whatever format it is written in.
import type { Asset, BookedTransfer, Deposit, Opening } from '../engine/ports.ts';

/**
 * `spending` leaves for a seller; `transfer`, `charge` (for a picture) and `refund` (of a charge) go from one wallet of
 * ours to another; `fee` is what the network took, in SOL; `opening` stands for what happened before the records begin.
 * `tokens` of models move nothing on the chain, and are in no line.
 */
export type EntryKind =
  | 'spending'
  | 'transfer'
  | 'charge'
  | 'refund'
  | 'fee'
  | 'deposit'
  | 'withdrawal'
  | 'opening'
  | 'tokens';

/**
 * Where money is: with the treasury or an agent; with the cold treasury that a draw was made on; or outside. A place is a
 * fact of its time: an address that becomes the cold treasury's later changes no entry. An account alone holds no money.
 */
export type Place =
  | { kind: 'treasury' }
  | { kind: 'agent'; agentId: string }
  | { kind: 'cold'; address: string }
  | { kind: 'outside'; address: string }
  | { kind: 'account'; account: string };

export interface Entry {
  /** The id of the transfer or deposit; with `.fee`, `.rent` or the number of a split behind it for its further entries. */
  id: string;
  kind: EntryKind;
  /** The time of the block, in Unix milliseconds. */
  at: number;
  asset: Asset;
  /** In the smallest unit, above zero. */
  amount: bigint;
  from: Place;
  to: Place;
  /** The agent and the group that it was charged to. */
  agentId: string | null;
  groupId: string | null;
  serviceId: string | null;
  serviceName: string;
  /** Of the URL that was paid for. */
  origin: string | null;
  /** Untrusted text of an agent or a seller. */
  description: string;
  txSignature: string | null;
}

/** The id of the transfer or deposit that the entry belongs to. */
export const rowIdOf = ({ id }: Pick<Entry, 'id'>): string => id.split('.', 1)[0] ?? id;

/** Names the place of an address. */
export type Placing = (address: string) => Place;

export const isOurs = ({ kind }: Place): boolean => kind === 'treasury' || kind === 'agent';

/** The addresses outside that an entry names, for rules and for the counterparty's column; at most one. */
export const counterpartyOf = ({ from, to }: Pick<Entry, 'from' | 'to'>): string | null => {
  const outside = [to, from].find(({ kind }) => kind === 'outside' || kind === 'cold');
  return outside !== undefined && 'address' in outside ? outside.address : null;
};

/** The entries of one transfer: the movement, each part of a split that goes elsewhere, the network's fee and rent. */
export const entriesOf = (row: BookedTransfer, placeOf: Placing): Entry[] => {
  const common = {
    at: row.at,
    agentId: row.agentId,
    groupId: row.groupId,
    serviceId: row.serviceId,
    serviceName: row.serviceName,
    origin: row.url === null ? null : originOf(row.url),
    description: row.description,
    txSignature: row.txSignature,
  };
  const from: Place = row.isDraw ? { kind: 'cold', address: row.payer } : placeOf(row.payer);
  const movesNothing = row.isFailed || row.kind === 'anchor';
  const moves = movesNothing
    ? []
    : partsOf(row).map(({ payee, amount }, index): Entry => {
        const to = placeOf(payee);
        const id = index === 0 ? row.id : `${row.id}.${index}`;
        return { ...common, id, kind: kindOf(row, to), asset: row.asset, amount, from, to };
      });
  const costs = [
    { id: `${row.id}.fee`, amount: row.feeLamports },
    { id: `${row.id}.rent`, amount: row.isFailed ? 0n : row.rentLamports },
  ]
    .filter(({ amount }) => amount > 0n)
    .map((cost): Entry => ({ ...common, ...cost, kind: 'fee', asset: 'SOL', from: treasury, to: network }));
  return [...moves, ...costs];
};

const treasury: Place = { kind: 'treasury' };
const network: Place = { kind: 'outside', address: '' };

/** The payee's part comes first, and keeps the id of the transfer. */
const partsOf = ({ payee, amount, splits }: BookedTransfer): { payee: string; amount: bigint }[] => {
  const further = splits.reduce((sum, split) => sum + split.amount, 0n);
  return [{ payee, amount: amount - further }, ...splits];
};

const kindOf = ({ kind }: BookedTransfer, to: Place): EntryKind => {
  if (kind === 'charge' || kind === 'refund') return kind;
  if (kind === 'withdrawal') return isOurs(to) ? 'transfer' : 'withdrawal';
  return kind === 'payment' && !isOurs(to) ? 'spending' : 'transfer';
};

const originOf = (url: string): string | null => {
  const origin = URL.canParse(url) ? new URL(url).origin : 'null';
  return origin === 'null' ? null : origin;
};

export const entryOfDeposit = (
  { id, at, asset, amount, from, wallet, txSignature }: Deposit,
  placeOf: Placing,
): Entry => {
  const to = placeOf(wallet);
  return {
    ...noPurchase,
    id,
    kind: 'deposit',
    at,
    asset,
    amount,
    from: placeOf(from),
    to,
    agentId: to.kind === 'agent' ? to.agentId : null,
    txSignature,
  };
};

/** @param number of this opening among those of SOL */
export const entryOfOpening = ({ wallet, amount, at }: Opening, placeOf: Placing, number = 1): Entry => {
  const here = wallet === null ? treasury : placeOf(wallet);
  const before: Place = { kind: 'outside', address: '' };
  const agentId = here.kind === 'agent' ? here.agentId : null;
  return {
    ...noPurchase,
    id: wallet === null ? `opening-sol-${number}` : `opening-${agentId ?? 'treasury'}`,
    kind: 'opening',
    at,
    asset: wallet === null ? 'SOL' : 'USDC',
    amount: amount < 0n ? -amount : amount,
    ...(amount < 0n ? { from: here, to: before } : { from: before, to: here }),
    agentId,
    txSignature: null,
  };
};

export const noPurchase = {
  groupId: null,
  serviceId: null,
  serviceName: '',
  origin: null,
  description: '',
} as const;
