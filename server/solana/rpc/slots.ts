// Refuses impossible slots. Readings are ordered by their slots, so that one far ahead would make every later reading look
// old.
import { AppError } from '../../errors.ts';
import { epochInfoAnswer } from './answers.ts';
import type { NodeRpc, Rpc } from './rpc.ts';

/** Slots by which the nodes behind one address may differ: a minute. */
export const slotsToSpare = 150;
/** No cluster makes slots faster. */
const fastestSlotMs = 100;

/**
 * The same RPC, whose answers name no slot far ahead of its newest one. It is asked for its newest slot when an answer is
 * ahead of what is known. A call throws AppError `chain_unreachable` for an impossible slot.
 */
export const boundSlots = (rpc: NodeRpc): NodeRpc => {
  let newest = { slot: -Infinity, at: 0 };
  const isPossible = (slot: number): boolean =>
    slot <= newest.slot + (performance.now() - newest.at) / fastestSlotMs + slotsToSpare;

  const admit = async (method: string, slot: number): Promise<void> => {
    if (isPossible(slot)) return;
    const { absoluteSlot } = await rpc.call('getEpochInfo', [{ commitment: 'processed' }], epochInfoAnswer);
    newest = { slot: absoluteSlot, at: performance.now() };
    if (isPossible(slot)) return;
    throw new AppError(
      'chain_unreachable',
      `The Solana RPC answered ${method} with slot ${slot}, which is ahead of its newest slot, ${absoluteSlot}.`,
    );
  };

  const bounded =
    (ask: Rpc['call']): Rpc['call'] =>
    async (...question) => {
      const answer = await ask(...question);
      const highest = Math.max(...slotsIn(answer));
      if (Number.isFinite(highest)) await admit(question[0], highest);
      return answer;
    };
  return { ...rpc, call: bounded(rpc.call), callOnce: bounded(rpc.callOnce) };
};

/** The slots that an answer names: its context's, its own, and those of its entries. */
const slotsIn = (answer: unknown): number[] => {
  if (Array.isArray(answer)) return answer.flatMap(slotsIn);
  if (typeof answer !== 'object' || answer === null) return [];
  const { context, slot, value } = answer as { context?: unknown; slot?: unknown; value?: unknown };
  return [...(typeof slot === 'number' ? [slot] : []), ...slotsIn(context), ...slotsIn(value)];
};
