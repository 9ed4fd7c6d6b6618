// A line of the file against the entry of the journal that it was made of: the text is read back as a reader would.
import { parseSol, parseUsdc } from '../money.ts';
import type { Entry } from './entry.ts';

/** In words; null: the line says what the entry says. */
export const compareLine = (line: string, entry: Entry): string | null => {
  const { id, kind, at, asset, amount, agent, service, transaction } = JSON.parse(line) as Record<
    string,
    string
  >;
  const units = asset === 'SOL' ? parseSol(amount ?? '') : parseUsdc(amount ?? '');
  const isSame =
    id === entry.id &&
    kind === entry.kind &&
    Date.parse(at ?? '') === entry.at &&
    asset === entry.asset &&
    units === entry.amount &&
    agent === entry.agentId &&
    service === entry.serviceId &&
    transaction === entry.txSignature;
  return isSame ? null : `The file says something else of ${entry.id} than the journal.`;
};
