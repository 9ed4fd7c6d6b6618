// An entry as one line of text: what a closed month and an anchor are made of. It holds facts of the journal alone, so
// that neither a rule nor a new name of a group changes it.
import { formatSol, formatUsdc, lamports, usdc } from '../money.ts';
import type { Entry, Place } from './entry.ts';

/** JSON with its fields in this order, without white space and without a line break. */
export const lineOf = (entry: Entry): string =>
  JSON.stringify({
    id: entry.id,
    kind: entry.kind,
    at: new Date(entry.at).toISOString(),
    asset: entry.asset,
    amount: amountOf(entry),
    from: nameOf(entry.from),
    to: nameOf(entry.to),
    agent: entry.agentId,
    service: entry.serviceId,
    transaction: entry.txSignature,
  });

/** Decimal, in USDC or SOL. */
export const amountOf = ({ asset, amount }: Pick<Entry, 'asset' | 'amount'>): string =>
  asset === 'SOL' ? formatSol(lamports(amount)) : formatUsdc(usdc(amount));

const nameOf = (place: Place): string =>
  place.kind === 'treasury'
    ? 'treasury'
    : place.kind === 'agent'
      ? `agent:${place.agentId}`
      : `${place.kind}:${place.kind === 'account' ? place.account : place.address}`;
