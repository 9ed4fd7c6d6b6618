// Why nothing can be drawn on the cold treasury, in a sentence that says what to do. Free of zod, since the renderer reads
// it too.

export const coldFaults = {
  missing: 'The cold wallet has no USDC account. Send USDC to its address, then set the allowance.',
  frozen:
    'The issuer of USDC froze the account of the cold wallet. Nothing can be drawn from it until it is thawed: ask the issuer, and deposit USDC to the treasury itself meanwhile.',
  delegate:
    'The cold wallet gives this treasury no allowance: it was revoked, used up, or given to another. Set it again under Treasury.',
} as const;

export type ColdFault = keyof typeof coldFaults;
export const coldFaultNames = Object.keys(coldFaults) as ColdFault[];
