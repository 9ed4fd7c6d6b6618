// The history of a wallet's USDC account: what came in, what went out, and by which transaction.
import { createHash } from 'node:crypto';
import { VersionedMessage } from '@solana/web3.js';
import type { MoveBatch, TokenMove } from '../../engine/ports.ts';
import { AppError } from '../../errors.ts';
import { pageLength, transactionAnswer, type Landed, type Listed } from '../rpc/answers.ts';
import { memoProgram, tokenAccountAddress } from '../message.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { signaturePage } from '../rpc/signature-page.ts';

interface Scan {
  wallet: string;
  mint: string;
  commitment: 'confirmed' | 'finalized';
  /** Stops before this signature. */
  until: string | null;
  /** Stops before this slot. */
  fromSlot?: number;
  minContextSlot?: number;
}

const readAtOnce = 8;

/** The wallet's signatures, newest first. @throws what `Rpc.call` throws */
export const listSignatures = async (rpc: Rpc, scan: Scan): Promise<Listed[]> => {
  const found: Listed[] = [];
  for await (const listed of listPages(rpc, scan)) found.push(...listed);
  return found;
};

/** The same, page by page: a reader may stop before the end. @throws as `listSignatures` does */
export async function* listPages(rpc: Rpc, scan: Scan): AsyncGenerator<Listed[]> {
  const address = tokenAccountAddress(scan.wallet, scan.mint);
  const { commitment, minContextSlot, fromSlot = 0 } = scan;
  const range = { commitment, minContextSlot, until: scan.until ?? undefined };
  const node = rpc.pinned?.() ?? rpc;
  let last: Listed | undefined;
  for (;;) {
    const listed = await signaturePage(node, address, { ...range, before: last?.signature });
    if ((listed[0]?.slot ?? 0) > (last?.slot ?? Infinity)) {
      throw new AppError('chain_unreachable', 'The Solana RPC lists newer transactions behind older ones.');
    }
    const wanted = listed.filter(({ slot }) => slot >= fromSlot);
    yield wanted;
    if (listed.length < pageLength || wanted.length < listed.length) return;
    last = listed.at(-1);
  }
}

/**
 * The wallet's moves in batches, oldest first. When there are many, the newest batch comes before them too: strangers who
 * fill the history cannot hide what was done last. `wanted` selects those that are read.
 * @throws AppError `chain_unreachable` when one cannot be read
 */
export async function* readMoves(
  rpc: Rpc,
  scan: Scan,
  wanted: (signature: string) => boolean = () => true,
): AsyncGenerator<MoveBatch> {
  const all = await listSignatures(rpc, scan);
  const listed = all.filter(({ signature }) => wanted(signature)).toReversed();
  if (listed.length > readAtOnce)
    yield { moves: await readListed(rpc, scan, listed.slice(-readAtOnce)), isAhead: true };
  for (let from = 0; from < listed.length; from += readAtOnce)
    yield { moves: await readListed(rpc, scan, listed.slice(from, from + readAtOnce)), isAhead: false };
}

/** The moves of these signatures, in their order. @throws as `readMoves` does */
export const readListed = async (rpc: Rpc, scan: Scan, listed: readonly Listed[]): Promise<TokenMove[]> => {
  const moves: TokenMove[] = [];
  for (let from = 0; from < listed.length; from += readAtOnce) {
    const some = listed.slice(from, from + readAtOnce);
    moves.push(...(await Promise.all(some.map((one) => readMove(rpc, scan, one)))));
  }
  return moves;
};

/** In micro-USDC and Unix milliseconds. @throws AppError `chain_unreachable` when the RPC does not show it */
export const readMove = async (
  rpc: Rpc,
  { wallet, mint, commitment }: Pick<Scan, 'wallet' | 'mint' | 'commitment'>,
  listed: Pick<Listed, 'signature'> & Partial<Pick<Listed, 'slot' | 'blockTime'>>,
): Promise<TokenMove> => {
  const { signature } = listed;
  const options = { encoding: 'base64', commitment, maxSupportedTransactionVersion: 0 };
  const landed = await rpc.call('getTransaction', [signature, options], transactionAnswer(listed));
  if (landed === null) {
    throw new AppError(
      'chain_unreachable',
      `The Solana RPC lists transaction ${signature} and does not show it.`,
    );
  }
  const changes = changesByOwner(landed, mint);
  const wire = Buffer.from(landed.transaction[0], 'base64');
  // Of the usual account alone: anybody can open another one for the wallet and pay into it.
  const { before, after } = unitsAt(landed, keysNamed(landed).indexOf(tokenAccountAddress(wallet, mint)));
  const change = after - before;
  const blockTime = landed.blockTime ?? listed.blockTime ?? null;
  return {
    signature,
    slot: landed.slot,
    blockTime: blockTime === null ? null : blockTime * 1_000,
    failed: landed.meta.err !== null,
    messageHash: messageHash(wire),
    change,
    balance: after,
    feeLamports: BigInt(landed.meta.fee),
    counterparty: [...changes].find(([owner, other]) => owner !== wallet && other * change < 0n)?.[0] ?? null,
    ...saidIn(wire),
  };
};

const changesByOwner = ({ meta }: Landed, mint: string): Map<string, bigint> => {
  const changes = new Map<string, bigint>();
  for (const [balances, sign] of [
    [meta.preTokenBalances, -1n] as const,
    [meta.postTokenBalances, 1n] as const,
  ]) {
    for (const balance of balances ?? []) {
      if (balance.mint !== mint || balance.owner === undefined) continue;
      const amount = BigInt(balance.uiTokenAmount.amount) * sign;
      changes.set(balance.owner, (changes.get(balance.owner) ?? 0n) + amount);
    }
  }
  return changes;
};

/** The account's units before and after, in micro-USDC. */
const unitsAt = ({ meta }: Landed, index: number): { before: bigint; after: bigint } => {
  const unitsIn = (balances: Landed['meta']['postTokenBalances']): bigint =>
    BigInt(balances?.find(({ accountIndex }) => accountIndex === index)?.uiTokenAmount.amount ?? 0);
  return { before: unitsIn(meta.preTokenBalances), after: unitsIn(meta.postTokenBalances) };
};

/** In the order of the balances: the message's own keys, then those that its lookup tables loaded. */
export const keysNamed = ({ transaction, meta: { loadedAddresses: loaded } }: Landed): string[] => [
  ...VersionedMessage.deserialize(messageIn(Buffer.from(transaction[0], 'base64'))).staticAccountKeys.map(
    (key) => key.toBase58(),
  ),
  ...(loaded?.writable ?? []),
  ...(loaded?.readonly ?? []),
];

/** The message behind a transaction's signatures (a one-byte count, 64 bytes each). */
export const messageIn = (wire: Buffer): Buffer => wire.subarray(1 + (wire[0] ?? 0) * 64);

/** SHA-256, in hex, of a transaction's message. */
export const messageHash = (wire: Buffer): string =>
  createHash('sha256').update(messageIn(wire)).digest('hex');

const saidIn = (wire: Buffer): Pick<TokenMove, 'signers' | 'memo'> => {
  const { header, staticAccountKeys, compiledInstructions } = VersionedMessage.deserialize(messageIn(wire));
  const memo = compiledInstructions.find(
    ({ programIdIndex }) => staticAccountKeys[programIdIndex]?.equals(memoProgram) === true,
  );
  return {
    signers: staticAccountKeys.slice(0, header.numRequiredSignatures).map((key) => key.toBase58()),
    memo: memo === undefined ? null : Buffer.from(memo.data).toString('utf8'),
  };
};
