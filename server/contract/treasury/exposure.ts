// The parts of the two sums that the owner sees first: all that there is, and what a thief of this machine could take.
// The overview and `treasury status` show them in the same words.
import type { Reply } from '../schemas.ts';

type Part = readonly [what: string, amount: string];

/** Without a cold wallet, its part is left out. */
export const partsOfTotal = ({ cold, treasury, agents }: Reply<'dashboard'>['total']): readonly Part[] => [
  ...(cold === null ? [] : ([['cold wallet', cold]] as const)),
  ['treasury', treasury],
  ['agents', agents],
];

/** Exactly the terms of `amount`. What is rare is left out where there is none. */
export const partsOfExposure = ({
  treasury,
  agents,
  aside,
  cold,
  returning,
}: Reply<'dashboard'>['exposure']): readonly Part[] => [
  ['in the treasury’s wallet', treasury],
  ['in the wallets of agents', agents],
  ...(
    [
      ['in further USDC accounts of these wallets', aside],
      ['in the cold wallet, as far as its allowance reaches', cold],
      ['paid and not yet final, which the chain could return', returning],
    ] as const
  ).filter(([, amount]) => /[1-9]/.test(amount)),
];
