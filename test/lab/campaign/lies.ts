// What an RPC that lies tells of the chain: against one that can be compared with another (gate 6), and in the model (7).
export const lies = [
  'the slot as the height',
  'a height from the future',
  'a height from the past',
  'no status',
  'no history',
  'a status that falls back',
  'blocks forgotten',
] as const;
export type Lie = (typeof lies)[number];

/** Slots or blocks, of what comes from the future. */
export const ahead = 1_000;
