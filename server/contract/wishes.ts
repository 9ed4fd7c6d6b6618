// When two requests are the same to a client that goes on with what it has no answer of (`Prefer: continue`).

/** Fields that make no other request of it. */
export const notPartOfAWish: ReadonlySet<string> = new Set([
  'maxAmount',
  'reason',
  'timeoutSeconds',
  'maxBytes',
]);
