// How entries are called in files: places, payees and purposes, each on one line.
import { stripControls } from '../../contract/fields.ts';
import type { Entry, EntryKind, Place } from '../entry.ts';

/** Untrusted text as one line, without characters that show nothing, or that XML has no place for. */
export const oneLine = (text: string): string =>
  isPlain.test(text)
    ? text
    : stripControls(text.toWellFormed())
        .replaceAll(/[\s\uFFFE\uFFFF]+/g, ' ')
        .trim();

/** Most texts are like this, and need no further look. */
const isPlain = /^(?:[!-~]+(?: [!-~]+)*)?$/;

/** The tag of model tokens. */
export const notOnChain = 'not on the chain';

export const placeName = (place: Place): string => {
  if (place.kind === 'treasury') return 'Treasury';
  if (place.kind === 'agent') return `Agent ${place.agentId}`;
  if (place.kind === 'account') return place.account;
  return place.kind === 'cold' ? 'Cold treasury' : oneLine(place.address);
};

const purposes: Record<EntryKind, string> = {
  spending: 'Payment',
  transfer: 'Transfer between own wallets',
  charge: 'Charge for a picture',
  refund: 'Refund for a picture',
  fee: 'Network fee',
  deposit: 'Deposit',
  withdrawal: 'Withdrawal',
  opening: 'Balance before the records begin',
  tokens: 'Model tokens',
};

/** The other side of the entry, as its owner would call it. */
export const payeeOf = ({ kind, from, to, serviceName }: Entry): string => {
  if (kind === 'fee') return 'Solana';
  if (kind === 'opening') return 'Agent Treasury';
  if (kind === 'deposit') return placeName(from);
  return ((kind === 'spending' || kind === 'tokens') && oneLine(serviceName)) || placeName(to);
};

/** An agent's or a seller's words, or those of its kind. */
export const purposeOf = ({ id, kind, description }: Entry): string => {
  if (id.endsWith('.rent')) return 'Rent of a token account';
  const isOurs = kind === 'fee' || kind === 'refund';
  return (!isOurs && oneLine(description)) || purposes[kind];
};
