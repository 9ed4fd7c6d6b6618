// The facts of an anchor, as the text of a memo on the chain. One text for each set of facts, and no other.

/** Times are Unix milliseconds of whole seconds. */
export interface AnchorFacts {
  /** The IANA name of the time zone whose days these are. */
  zone: string;
  /** Start (inclusive; 0: from the beginning) and end (exclusive) of the span. */
  from: number;
  to: number;
  /** How many lines the entries of the span have, and their Merkle root in hex. */
  entries: number;
  root: string;
  /** The transaction of the anchor before; null: this is the first. */
  previous: string | null;
  /** The hash of the newest entry of the treasury's journal, in hex. */
  head: string;
}

const format = 'anchor1';
/** Seconds: no date of JavaScript is later. https://tc39.es/ecma262/#sec-time-values-and-time-range */
const latest = 8_640_000_000_000;
const none = 'none';

/** At most 350 bytes; all of them ASCII. */
export const anchorText = ({ zone, from, to, entries, root, previous, head }: AnchorFacts): string =>
  [format, zone, from / 1_000, to / 1_000, entries, root, previous ?? none, head].join(' ');

const number = '(0|[1-9][0-9]{0,12})';
const hash = '([0-9a-f]{64})';
const pattern = new RegExp(
  `^${format} ([A-Za-z0-9_+/-]{1,64}) ${number} ${number} ${number} ${hash} (none|[1-9A-HJ-NP-Za-km-z]{64,88}) ${hash}$`,
);

/** Null when the text is not that of an anchor. */
export const readAnchorText = (text: string): AnchorFacts | null => {
  const [, zone = '', from, to, entries, root = '', previous = none, head = ''] = pattern.exec(text) ?? [];
  if (zone === '' || Number(from) >= Number(to) || Number(to) > latest) return null;
  return {
    zone,
    from: Number(from) * 1_000,
    to: Number(to) * 1_000,
    entries: Number(entries),
    root,
    previous: previous === none ? null : previous,
    head,
  };
};

/** The facts of a whole memo: the treasury's own prefix and the id of the transfer stand before the text. */
export const readAnchorMemo = (memo: string): AnchorFacts | null => {
  const [, text = ''] = /^at:anc_[0-9a-z]{29}:(.*)$/s.exec(memo) ?? [];
  return readAnchorText(text);
};
