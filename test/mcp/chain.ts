// A wallet's state on the chain itself, read without the treasury.
import { rpcCall } from '../harness/treasury.ts';
import { usdcMints } from '../../server/contract/treasury/networks.ts';

const mint = usdcMints.sandbox;
const settings = { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };

interface Balance {
  owner: string;
  mint: string;
  uiTokenAmount: { amount: string };
}
interface Landed {
  meta: { err: unknown; preTokenBalances: Balance[]; postTokenBalances: Balance[] };
}

export interface Debit {
  signature: string;
  amount: bigint;
  /** The payee. */
  to: string[];
}

/** A wallet's USDC account; undefined while it has none. */
const accountOf = async (
  rpcUrl: string,
  wallet: string,
): Promise<{ address: string; units: bigint } | undefined> => {
  const { value } = await rpcCall(rpcUrl, 'getTokenAccountsByOwner', [
    wallet,
    { mint },
    { encoding: 'jsonParsed', commitment: 'confirmed' },
  ]);
  const [found] = value as {
    pubkey: string;
    account: { data: { parsed: { info: { tokenAmount: { amount: string } } } } };
  }[];
  if (found === undefined) return undefined;
  return { address: found.pubkey, units: BigInt(found.account.data.parsed.info.tokenAmount.amount) };
};

export const unitsOf = async (rpcUrl: string, wallet: string): Promise<bigint> =>
  (await accountOf(rpcUrl, wallet))?.units ?? 0n;

/** Every transaction that took USDC out of the wallet, newest first. */
export const debitsOf = async (rpcUrl: string, wallet: string): Promise<Debit[]> => {
  const account = await accountOf(rpcUrl, wallet);
  if (account === undefined) return [];
  const listed: { signature: string }[] = await rpcCall(rpcUrl, 'getSignaturesForAddress', [
    account.address,
    { limit: 1_000, commitment: 'confirmed' },
  ]);
  const debits: Debit[] = [];
  for (const { signature } of listed) {
    const { meta }: Landed = await rpcCall(rpcUrl, 'getTransaction', [signature, settings]);
    const changes = changesOf(meta);
    const change = changes.get(wallet) ?? 0n;
    if (meta.err !== null || change >= 0n) continue;
    const to = [...changes].filter(([, units]) => units > 0n).map(([owner]) => owner);
    debits.push({ signature, amount: -change, to });
  }
  return debits;
};

const changesOf = ({ preTokenBalances, postTokenBalances }: Landed['meta']): Map<string, bigint> => {
  const changes = new Map<string, bigint>();
  const add = ({ owner, uiTokenAmount }: Balance, sign: bigint): void =>
    void changes.set(owner, (changes.get(owner) ?? 0n) + sign * BigInt(uiTokenAmount.amount));
  for (const balance of preTokenBalances.filter((it) => it.mint === mint)) add(balance, -1n);
  for (const balance of postTokenBalances.filter((it) => it.mint === mint)) add(balance, 1n);
  return changes;
};
