// Accounts as a run finds them, and as it leaves them.
import { isTokenProgram, type Account } from './account.ts';
import type { LoadedKey } from './keys.ts';
import type { Runtime } from './runtime.ts';

/** An account at one moment: lamports of every account, contents of those that could change or hold tokens. */
export interface Observation {
  lamports: number;
  account: Account | null;
}

export const observe = (runtime: Runtime, { key, writable, isProgram }: LoadedKey): Observation => {
  if (writable) {
    const account = runtime.read(key);
    return { lamports: Number(account?.lamports ?? 0n), account };
  }
  const account = isProgram ? null : runtime.readOwnedBy(key, isTokenProgram);
  return { lamports: Number(runtime.lamports(key)), account };
};
