// The transaction of an anchor, as any RPC shows it. Its content needs no trust in the RPC: the signature over it is
// checked here. That it is final, and when its block was made, the RPC has to be believed.
import { createPublicKey, verify } from 'node:crypto';
import { decodeMessage } from '../../lib/solana/solana-message.ts';
import { fromBase58, toBase58 } from './base58.ts';
import { Disproved } from './fault.ts';
import type { AskRpc } from './rpc.ts';
import type { AnchorLine } from './statement-lines.ts';

const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const computeBudget = 'ComputeBudget111111111111111111111111111111';

/**
 * The time of its block, in Unix milliseconds.
 * @param signer 32 bytes
 * @throws Disproved when it is not exactly this anchor, signed by this key, successful and finalized; as `ask` does
 */
export const checkAnchorTransaction = async (
  ask: AskRpc,
  { memo, transaction }: AnchorLine,
  signer: Buffer,
): Promise<number> => {
  const signature = fromBase58(transaction, 64);
  if (signature === null) throw new Disproved(`its transaction has no signature that could be one`);
  const config = { encoding: 'base64', commitment: 'finalized', maxSupportedTransactionVersion: 0 };
  const found = (await ask('getTransaction', [transaction, config])) as Found | null;
  if (found === null)
    throw new Disproved(
      `the RPC knows no finalized transaction ${transaction}; one that keeps the whole history may`,
    );
  if (found.meta?.err !== null) throw new Disproved(`its transaction ${transaction} failed on the chain`);
  if (typeof found.blockTime !== 'number' || !(Math.abs(found.blockTime) < 8_640_000_000_000))
    throw new Disproved(`the RPC does not say when ${transaction} landed`);
  checkWire(Buffer.from(String(found.transaction?.[0]), 'base64'), { memo, signature, signer });
  return found.blockTime * 1_000;
};

interface Found {
  meta?: { err?: unknown } | null;
  blockTime?: unknown;
  transaction?: readonly unknown[];
}

/** One signature: its number, and its bytes. */
const signaturesLength = 65;

/** @throws Disproved */
const checkWire = (
  wire: Buffer,
  { memo, signature, signer }: { memo: string; signature: Buffer; signer: Buffer },
): void => {
  const bytes = wire.subarray(signaturesLength);
  const isItsOwn = wire[0] === 1 && wire.subarray(1, signaturesLength).equals(signature);
  if (!isItsOwn || !isSignedBy(signer, bytes, signature))
    throw new Disproved(`its transaction was not signed by ${toBase58(signer)}`);
  const said = memoOf(bytes, signer);
  if (said === null) throw new Disproved('its transaction is not that of an anchor');
  if (said !== memo) throw new Disproved('its transaction says something else');
};

const isSignedBy = (signer: Buffer, bytes: Buffer, signature: Buffer): boolean => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: signer.toString('base64url') };
  return verify(null, bytes, createPublicKey({ key: jwk, format: 'jwk' }), signature);
};

/** The text of a message that the signer alone signs, and that is one memo; null when it is anything else. */
const memoOf = (bytes: Buffer, signer: Buffer): string | null => {
  try {
    const { accounts, instructions, isSigner } = decodeMessage(bytes);
    const [first, ...others] = instructions.filter(({ program }) => toBase58(program) !== computeBudget);
    const isAlone = others.length === 0 && accounts[0]?.equals(signer) === true && !isSigner(1);
    if (!isAlone || first === undefined || toBase58(first.program) !== memoProgram) return null;
    return first.accounts.length === 0 ? first.data.toString() : null;
  } catch {
    return null;
  }
};
