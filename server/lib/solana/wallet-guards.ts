// The assertions that Phantom and Solflare add to what their users sign: they read accounts, and move nothing.
// https://docs.phantom.com/developer-powertools/lighthouse
const lighthouse = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95';

/** `MemoryWrite` and `MemoryClose` open and close an account of a signer's; everything after them only asserts. */
const firstAssertion = 2;

/** @param program base58 */
export const isGuard = (program: string, data: Uint8Array): boolean =>
  program === lighthouse && (data[0] ?? 0) >= firstAssertion;
