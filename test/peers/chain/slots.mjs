// Slots, blocks and blockhashes by the clock. Each 25th slot has no block, so that heights fall behind slots, as they do
// on mainnet. A commitment lags behind the newest slot by the time that it takes.
import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';

const firstSlot = 350_000_000;
const slotsForEachSkipped = 25;
/** A transaction lands for so many blocks after the one whose hash it names. */
export const blocksToLand = 150;

const heightAt = (slot) => slot - Math.floor(slot / slotsForEachSkipped);

/** The last slot with a block, at or before this one. */
const blockAt = (slot) => (slot % slotsForEachSkipped === 0 ? slot - 1 : slot);

/** @param lag milliseconds until a block is confirmed and finalized */
export const createSlots = ({ slotMs, lag }) => {
  const begun = Date.now();
  /** Slots by hash, and hashes by slot, of the blocks that can still matter. */
  const hashes = new Map();
  const bySlot = new Map();
  const kept = 2 * blocksToLand + Math.ceil(lag.finalized / slotMs);

  const newest = () => firstSlot + Math.floor((Date.now() - begun) / slotMs);
  const slotAt = (commitment) => Math.max(firstSlot, newest() - Math.ceil(lag[commitment] / slotMs));

  const hashAt = (slot) => {
    const block = blockAt(slot);
    let hash = bySlot.get(block);
    if (hash === undefined) {
      hash = bs58.encode(randomBytes(32));
      bySlot.set(block, hash);
      hashes.set(hash, block);
    }
    for (const [known, of] of hashes) {
      if (of >= newest() - kept) break;
      hashes.delete(known);
      bySlot.delete(of);
    }
    return hash;
  };

  return {
    firstSlot,
    slotAt,
    heightAt,
    /** In Unix seconds. */
    timeOf: (slot) => Math.floor((begun + (slot - firstSlot) * slotMs) / 1_000),
    latest(commitment) {
      const slot = slotAt(commitment);
      return { blockhash: hashAt(slot), lastValidBlockHeight: heightAt(blockAt(slot)) + blocksToLand };
    },
    /** Whether a transaction with this hash can land in the block after the newest of the commitment. */
    isValid(hash, commitment) {
      const slot = hashes.get(hash);
      const upTo = slotAt(commitment);
      return slot !== undefined && slot <= upTo && heightAt(upTo) - heightAt(slot) <= blocksToLand;
    },
  };
};
