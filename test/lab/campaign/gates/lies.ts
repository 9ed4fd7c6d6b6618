// The lies of an RPC about the chain: beside a second RPC (gate 6), and in the model (gate 7).
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

/** Slots or blocks by which a lie is in the future. */
export const ahead = 1_000;
