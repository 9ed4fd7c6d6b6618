// Combines the answers of several RPCs. An RPC is a witness, not a judge: a payment is confirmed when the RPCs that answer
// agree, and money is released when every RPC that is configured proves it.
import type { Chain, EndProof, Sighting } from '../../engine/ports.ts';
import { statusesAnswer } from './answers.ts';
import { proveEndedOn } from '../expiry.ts';
import { listHistory } from '../history/history.ts';
import { isDown, type NodeRpc, type Rpc } from './rpc.ts';

type Sightings = Awaited<ReturnType<Chain['sightings']>>;

/** The first one is always there. */
export type Witnesses = readonly [NodeRpc, ...NodeRpc[]];

/** Those that answered last; all of them when none did. */
const answering = (witnesses: Witnesses): readonly NodeRpc[] => {
  const up = witnesses.filter((rpc) => !isDown(rpc));
  return up.length === 0 ? witnesses : up;
};

/** The answers of those that give one. @throws the first failure when none does */
const askAll = async <T>(witnesses: Witnesses, ask: (rpc: Rpc) => Promise<T>): Promise<T[]> => {
  const settled = await Promise.allSettled(answering(witnesses).map(ask));
  const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failure = settled.find((one) => one.status === 'rejected');
  if (answers.length === 0 && failure !== undefined) throw failure.reason;
  return answers;
};

const order = ['processed', 'confirmed', 'finalized'] as const;

/** A transaction that only one of them shows, or that they show differently, is not seen yet. */
const agreed = ([first, ...others]: readonly (Sighting | null)[]): Sighting | null => {
  let common = first ?? null;
  for (const other of others) {
    if (common === null || other === null || other.slot !== common.slot) return null;
    if ((other.error === null) !== (common.error === null)) return null;
    if (order.indexOf(other.commitment) < order.indexOf(common.commitment)) common = other;
  }
  return common;
};

/** @throws AppError `chain_unreachable` when no RPC answers */
export const sightings = async (witnesses: Witnesses, signatures: readonly string[]): Promise<Sightings> => {
  const answers = await askAll(witnesses, async (rpc) => {
    const params = [signatures, { searchTransactionHistory: true }];
    const answer = statusesAnswer(signatures.length);
    const { context, value } = await rpc.call('getSignatureStatuses', params, answer);
    return { slot: context.slot, found: value };
  });
  return {
    slot: Math.min(...answers.map(({ slot }) => slot)),
    found: signatures.map((_, n) => agreed(answers.map(({ found }) => found[n] ?? null))),
  };
};

/** @throws what `Rpc.call` throws: while one RPC does not answer, the question stays open */
export const isUnlisted = async (
  witnesses: Witnesses,
  mint: string,
  { wallet, txSignature, slot }: Parameters<Chain['isUnlisted']>[0],
): Promise<boolean> => {
  for (const rpc of witnesses)
    for await (const page of listHistory(rpc, { wallet, mint })) {
      if (page.some(({ signature, failed }) => signature === txSignature && !failed)) return false;
      if ((page.at(-1)?.slot ?? 0) < slot) break;
    }
  return true;
};

const disagreement: EndProof = { dead: false, why: 'the RPCs disagree about how it ended' };

/** No RPC is shown the evidence of another: each has to find its own. @throws what `Rpc.call` throws */
export const proveEnded = async (
  [first, ...others]: Witnesses,
  mint: string,
  transfers: Parameters<Chain['proveEnded']>[0],
  explained: Parameters<Chain['proveEnded']>[1],
): Promise<EndProof[]> => {
  let proofs = await proveEndedOn(first, transfers, mint, explained);
  for (const rpc of others) {
    const dead = transfers.filter((_, n) => proofs[n]?.dead === true);
    const again = (await proveEndedOn(rpc, dead, mint, explained)).values();
    proofs = proofs.map((proof) => {
      const other = proof.dead ? again.next().value : proof;
      if (other === undefined || !proof.dead || !other.dead) return other ?? disagreement;
      return (other.failed === undefined) === (proof.failed === undefined) ? proof : disagreement;
    });
  }
  return proofs;
};
