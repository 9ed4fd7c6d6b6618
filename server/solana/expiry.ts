// Proof that signed bytes will never move money: the chain finalized them with an error, or they expired. Each check
// answers a fault that has cost other wallets money: an RPC that returned the slot as the height, a lifetime that was
// shorter than the true one, a look-up without history that forgets after minutes, and an answer from a node that lags
// behind the one asked before.
//
// All evidence is of one pass and one RPC, in this order: the finalized height, the signatures looked up at or past
// that slot, the blockhash at or past that slot, each wallet's history at or past that slot. Transfers proven together
// share it; it is never reused.
import type { EndProof, Explained, Lifetime, Sighting, Transfer, TokenMove } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import {
  blockhashValidAnswer,
  epochInfoAnswer,
  slotAnswer,
  statusesAnswer,
  type Listed,
} from './rpc/answers.ts';
import { payerOf } from './message.ts';
import { listSignatures, readListed, readMove } from './history/moves.ts';
import { RpcError, type Rpc } from './rpc/rpc.ts';

interface Epoch {
  absoluteSlot: number;
  blockHeight: number;
}
/** A transfer whose end is being proven. */
interface Candidate {
  transfer: Transfer;
  lifetime: Lifetime;
  messageHash: string;
  /** Where the facilitator signs first, this signature is not on the chain: the message is looked for instead. */
  signature: string;
}
interface LookedUp {
  slot: number;
  sighting: Sighting | null;
}
/** The transactions of a wallet's token account since its oldest candidate was signed. */
interface History {
  listed: readonly Listed[];
  /** The entries of `listed` whose signatures no row has. */
  moves: readonly TokenMove[];
}

const signaturesAtOnce = 256;

/**
 * Asks one RPC about all of them, and returns the proofs in the same order. `dead` only when every piece of evidence
 * comes from this RPC and agrees. A wallet whose history cannot be read leaves only its own transfers unproven.
 * @throws what `Rpc.call` throws
 */
export const proveEndedOn = async (
  rpc: Rpc,
  transfers: readonly Transfer[],
  mint: string,
  explained: Explained,
): Promise<EndProof[]> => {
  if (transfers.length === 0) return [];
  const candidates = transfers.map(candidateOf);
  const epoch = await rpc.call('getEpochInfo', [{ commitment: 'finalized' }], epochInfoAnswer);
  const proofs = new Map<Candidate, EndProof>();
  const settle = (candidate: Candidate, why: string | null): void => {
    if (why !== null) proofs.set(candidate, alive(why));
  };
  const unsettled = (): Candidate[] => candidates.filter((candidate) => !proofs.has(candidate));

  const lookedUp = await lookUp(rpc, candidates);
  for (const [candidate, { slot, sighting }] of lookedUp) {
    if (sighting !== null) proofs.set(candidate, await failureOf(rpc, candidate, sighting, mint));
    else if (slot < epoch.absoluteSlot) settle(candidate, 'the RPC that looked it up was behind');
    else settle(candidate, heightFault(candidate, epoch));
  }
  for (const [blockhash, own] of Map.groupBy(unsettled(), ({ lifetime }) => lifetime.blockhash)) {
    const why = await blockhashFault(rpc, blockhash, epoch.absoluteSlot);
    for (const candidate of own) settle(candidate, why);
  }
  if (unsettled().length === 0) return inOrder(candidates, proofs);

  const firstBlock = await served(() => rpc.call('getFirstAvailableBlock', [], slotAnswer));
  for (const candidate of unsettled())
    if (typeof firstBlock === 'string') settle(candidate, firstBlock);
    else if (firstBlock > candidate.lifetime.slot)
      settle(candidate, 'the RPC no longer has the blocks that it may be in');

  for (const [wallet, own] of byPayer(unsettled())) {
    const history = await readSince(rpc, wallet, own, { mint, explained, slot: epoch.absoluteSlot });
    for (const candidate of own) {
      const why = history === null ? unreadable : historyFault(candidate, history, explained);
      const lookedUpAt = lookedUp.get(candidate)?.slot ?? 0;
      const moves = history?.listed.filter(({ slot }) => slot >= candidate.lifetime.slot).length ?? 0;
      const evidence = { ...epoch, lookedUpAt, firstBlock, moves };
      proofs.set(candidate, why === null ? { dead: true, evidence } : alive(why));
    }
  }
  return inOrder(candidates, proofs);
};

const unreadable = 'the history of its wallet could not be read';
const alive = (why: string): EndProof => ({ dead: false, why });

const candidateOf = (transfer: Transfer): Candidate => {
  invariant(transfer.signed !== null, 'only what was signed can die');
  const { messageHash, lifetime, signature } = transfer.signed;
  return { transfer, lifetime, messageHash, signature: transfer.purchase?.txSignature ?? signature };
};

const inOrder = (candidates: readonly Candidate[], proofs: ReadonlyMap<Candidate, EndProof>): EndProof[] =>
  candidates.map((candidate) => proofs.get(candidate) ?? alive('nothing was proven'));

/** The RPC's status alone is no proof of a failure: the transaction itself has to say so, and has to be ours. */
const failureOf = async (
  rpc: Rpc,
  { transfer, messageHash, signature }: Candidate,
  sighting: Sighting,
  mint: string,
): Promise<EndProof> => {
  if (sighting.error === null || sighting.commitment !== 'finalized') return alive('it is on the chain');
  const scan = { wallet: payerOf(transfer), mint, commitment: 'finalized' } as const;
  const move = await readMove(rpc, scan, { signature }).catch(() => null);
  if (move === null || !move.failed || move.messageHash !== messageHash)
    return alive('its RPC gives it an error, and does not show the failed transaction');
  return { dead: true, failed: sighting, evidence: { error: sighting.error, slot: move.slot } };
};

/**
 * A node that has not seen the blockhash yet takes it neither at `finalized` nor at `processed`: the height has to show
 * beforehand that its time is over.
 */
const blockhashFault = async (
  rpc: Rpc,
  blockhash: string,
  minContextSlot: number,
): Promise<string | null> => {
  for (const commitment of ['finalized', 'processed']) {
    const params = [blockhash, { commitment, minContextSlot }];
    const answer = await served(() => rpc.call('isBlockhashValid', params, blockhashValidAnswer));
    if (typeof answer === 'string') return answer;
    if (answer.value) return 'the RPC still takes its blockhash';
    if (answer.context.slot < minContextSlot) return 'the RPC that looked its blockhash up was behind';
  }
  return null;
};

/** In place of an answer, the reason why the node gives none: it may not have the method. */
const served = async <T>(ask: () => Promise<T>): Promise<T | string> => {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return `the RPC refuses ${String(error.details?.['method'])}, which the proof needs`;
  }
};

const heightFault = ({ lifetime }: Candidate, { absoluteSlot, blockHeight }: Epoch): string | null => {
  if (blockHeight <= lifetime.lastValidHeight) return 'it can still land';
  const gapThen = lifetime.slot - lifetime.height;
  const gapNow = absoluteSlot - blockHeight;
  const slotsElapsed = absoluteSlot - lifetime.slot;
  if (gapNow < gapThen || gapNow > gapThen + slotsElapsed)
    return 'the RPC gives a block height that cannot be right';
  return null;
};

const lookUp = async (rpc: Rpc, candidates: readonly Candidate[]): Promise<Map<Candidate, LookedUp>> => {
  const found = new Map<Candidate, LookedUp>();
  for (let from = 0; from < candidates.length; from += signaturesAtOnce) {
    const some = candidates.slice(from, from + signaturesAtOnce);
    const params = [some.map(({ signature }) => signature), { searchTransactionHistory: true }];
    const { context, value } = await rpc.call('getSignatureStatuses', params, statusesAnswer(some.length));
    for (const [index, candidate] of some.entries())
      found.set(candidate, { slot: context.slot, sighting: value[index] ?? null });
  }
  return found;
};

const byPayer = (candidates: readonly Candidate[]): Map<string, Candidate[]> =>
  Map.groupBy(candidates, ({ transfer }) => payerOf(transfer));

/** Null when the history cannot be read. */
const readSince = async (
  rpc: Rpc,
  wallet: string,
  candidates: readonly Candidate[],
  { mint, explained, slot }: { mint: string; explained: Explained; slot: number },
): Promise<History | null> => {
  if (candidates.every(({ transfer }) => transfer.asset === 'SOL')) return { listed: [], moves: [] };
  const fromSlot = Math.min(...candidates.map(({ lifetime }) => lifetime.slot));
  const scan = {
    wallet,
    mint,
    commitment: 'finalized',
    until: null,
    fromSlot,
    minContextSlot: slot,
  } as const;
  try {
    const listed = await listSignatures(rpc, scan);
    const nameless = listed.filter(({ signature }) => !explained.byName(signature));
    return { listed, moves: await readListed(rpc, scan, nameless) };
  } catch {
    return null;
  }
};

const historyFault = (
  { transfer, lifetime, signature, messageHash }: Candidate,
  { listed, moves }: History,
  explained: Explained,
): string | null => {
  if (transfer.asset === 'SOL') return null;
  const since = moves.filter(({ slot }) => slot >= lifetime.slot);
  const itself =
    listed.some((one) => one.slot >= lifetime.slot && one.signature === signature) ||
    since.some((move) => move.messageHash === messageHash);
  if (itself) return 'the RPC does not know it by name, and shows it in the history of the wallet';
  // On a cold account the owner spends too: only what the treasury signed is ours to explain.
  const ours =
    transfer.source === null ? since : since.filter(({ signers }) => signers.includes(transfer.wallet));
  const strange = ours.find((move) => move.change < 0n && !explained.move(move));
  return strange === undefined ? null : `transaction ${strange.signature} took money and no row explains it`;
};
