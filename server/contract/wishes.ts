// When two requests are equal to a client that resumes a purchase without an answer (`Prefer: continue`).

/** Fields of a request that may differ: the same thing is still bought. */
export const fieldsNotCompared: ReadonlySet<string> = new Set([
  'maxAmount',
  'reason',
  'timeoutSeconds',
  'maxBytes',
  // A server may word each demand anew. The request that it is for is compared.
  'demand',
]);
