// A compact record of a run beside the transaction itself; views/ renders it on request.
import { mintDecimals, sameKey, programs, tokenHolding } from './account.ts';
import type { Run } from './execution.ts';
import type { Observation } from './observation.ts';
import type { Outcome, Runtime } from './runtime.ts';

export interface StoredMeta {
  fee: number;
  pre: number[];
  post: number[];
  tokens: StoredTokenBalance[];
  logs: string[];
  inner: Outcome['inner'];
  units: number;
  /** Program and data in hex. */
  returned: [string, string] | null;
  /** Keys from lookup tables in hex, writable ones first, in the order of the message. */
  loaded: { writable: string[]; readonly: string[] } | null;
}

/** Keys in hex; amounts as decimal strings, null when there was no token account. */
export interface StoredTokenBalance {
  index: number;
  mint: string;
  owner: string;
  isToken2022: boolean;
  decimals: number;
  pre: string | null;
  post: string | null;
}

export const storedMeta = (runtime: Runtime, { keys, before, after, outcome }: Run): StoredMeta => {
  const pre = before.map(({ lamports }) => lamports);
  const post = after.map(({ lamports }) => lamports);
  /** Most transactions name the mint themselves, so it need not be read again. */
  const decimalsOf = (mint: Uint8Array): number | null => {
    const named = after[keys.findIndex(({ key }) => sameKey(key, mint))]?.account;
    return mintDecimals(named ?? runtime.read(mint));
  };
  const loaded = keys.filter(({ fromTable }) => fromTable);
  return {
    // Lamports are conserved except for the fee, which is burned.
    fee: sum(pre) - sum(post),
    pre,
    post,
    tokens: keys.flatMap((_, index) => tokenBalance(decimalsOf, index, before[index], after[index])),
    logs: outcome.logs,
    inner: outcome.inner,
    units: outcome.units,
    returned: outcome.returned && [hex(outcome.returned.program), hex(outcome.returned.data)],
    loaded:
      loaded.length === 0
        ? null
        : {
            writable: loaded.filter(({ writable }) => writable).map(({ key }) => hex(key)),
            readonly: loaded.filter(({ writable }) => !writable).map(({ key }) => hex(key)),
          },
  };
};

const tokenBalance = (
  decimalsOf: (mint: Uint8Array) => number | null,
  index: number,
  before: Observation | undefined,
  after: Observation | undefined,
): StoredTokenBalance[] => {
  const pre = before?.account ? tokenHolding(before.account) : null;
  const post = after?.account ? tokenHolding(after.account) : null;
  const holding = post ?? pre;
  const program = (post ? after : before)?.account?.owner;
  if (!holding || !program) return [];
  const decimals = decimalsOf(holding.mint);
  if (decimals === null) return [];
  return [
    {
      index,
      mint: hex(holding.mint),
      owner: hex(holding.owner),
      isToken2022: sameKey(program, programs.token2022),
      decimals,
      pre: pre?.amount.toString() ?? null,
      post: post?.amount.toString() ?? null,
    },
  ];
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const hex = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
