// The lines of a statement that can be verified: a head, and for each anchored span its entries and then its anchor. Each
// line is JSON without white space, with its fields in one order, and ends with a line break.

export interface StatementHead {
  /** The address of the treasury, whose key signed every anchor. */
  signer: string;
  /** The hash of the chain's first block, which says which chain it is. */
  genesis: string;
}

export interface AnchorLine {
  /** The memo on the chain, as it is there. */
  memo: string;
  /** The signature under which the transaction is there. */
  transaction: string;
}

const format = 'agent-treasury statement 1';

export const headLine = ({ signer, genesis }: StatementHead): string =>
  JSON.stringify({ statement: format, signer, genesis });

export const anchorLine = ({ memo, transaction }: AnchorLine): string =>
  JSON.stringify({ anchor: memo, transaction });

type Fields = Record<string, unknown>;

/** Null when the text is not JSON of an object. */
const fieldsOf = (line: string): Fields | null => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
};

const isHash = (value: unknown): value is string =>
  typeof value === 'string' && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(value);

/** Null when the line is not exactly that of a head. */
export const readHead = (line: string): StatementHead | null => {
  const { signer, genesis } = fieldsOf(line) ?? {};
  if (!isHash(signer) || !isHash(genesis)) return null;
  return headLine({ signer, genesis }) === line ? { signer, genesis } : null;
};

export const isAnchorLine = (line: string): boolean => line.startsWith('{"anchor":');

/** Null when the line is not exactly that of an anchor. */
export const readAnchorLine = (line: string): AnchorLine | null => {
  const { anchor: memo, transaction } = fieldsOf(line) ?? {};
  if (typeof memo !== 'string' || typeof transaction !== 'string') return null;
  return anchorLine({ memo, transaction }) === line ? { memo, transaction } : null;
};

const entryFields = [
  'id',
  'kind',
  'at',
  'asset',
  'amount',
  'from',
  'to',
  'agent',
  'service',
  'transaction',
] as const;
const mayBeNull: ReadonlySet<string> = new Set(['agent', 'service', 'transaction']);

/** The time of an entry's line in Unix milliseconds; null when it is not exactly the line of an entry. */
export const readEntryTime = (line: string): number | null => {
  const fields = fieldsOf(line);
  if (fields === null) return null;
  const isText = (name: string): boolean =>
    typeof fields[name] === 'string' || (mayBeNull.has(name) && fields[name] === null);
  if (!entryFields.every(isText)) return null;
  const again = JSON.stringify(Object.fromEntries(entryFields.map((name) => [name, fields[name]])));
  const at = Date.parse(String(fields['at']));
  const isTime = !Number.isNaN(at) && new Date(at).toISOString() === fields['at'];
  return again === line && isTime ? at : null;
};
