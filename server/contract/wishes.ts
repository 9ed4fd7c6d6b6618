// When two requests are equal to a client that resumes a purchase without an answer (`Prefer: continue`).

/** Fields that are not compared. */
export const notPartOfAWish: ReadonlySet<string> = new Set([
  'maxAmount',
  'reason',
  'timeoutSeconds',
  'maxBytes',
]);
