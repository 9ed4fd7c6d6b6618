// Sentences for the owner about phones. Free of zod, since the renderer reads them too.

/** The most that a stolen phone could do, until it is removed. Decimal USDC. */
export const stolenPhone = ({ perApproval, perDay }: { perApproval: string; perDay: string }): string[] => [
  isNothing(perApproval) || isNothing(perDay)
    ? 'A thief with this phone could approve nothing.'
    : `A thief with this phone could approve what your agents ask for: up to ${perApproval} USDC at once, and ${perDay} USDC in 24 hours.`,
  'The thief could deny requests and freeze everything, which you lift here.',
  'The thief could never raise a limit, unfreeze, withdraw, or link a machine.',
];

const isNothing = (amount: string): boolean => !/[1-9]/.test(amount);
