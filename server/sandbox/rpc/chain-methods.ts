// Methods about the chain as a whole: time, slots, blockhashes, fees.
import bs58 from 'bs58';

import type { Chain } from '../chain/chain.ts';
import { genesisLamports } from '../chain/chain.ts';
import { heightOf, isSkipped } from '../chain/clock.ts';
import { decodeMessage } from '../chain/wire.ts';
import type { Methods } from './context.ts';
import { apiVersion, readPoint, withContext } from './context.ts';
import { RpcError, invalidParams } from './errors.ts';
import { addressParam, configParam, encodedParam, integerParam, listParam } from './params.ts';

const slotsPerEpoch = 432_000;
const featureSet = 3_640_012_085;

export const chainMethods = (chain: Chain): Methods => {
  const { clock, bank, ledger, runtime, accounts } = chain;
  const identity = bs58.encode(chain.faucetAddress);

  const epochInfo = (slot: number): object => ({
    absoluteSlot: slot,
    blockHeight: heightOf(slot),
    epoch: Math.floor(slot / slotsPerEpoch),
    slotIndex: slot % slotsPerEpoch,
    slotsInEpoch: slotsPerEpoch,
    transactionCount: ledger.count(),
  });
  return {
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': apiVersion, 'feature-set': featureSet }),
    getGenesisHash: () => chain.genesisHash,
    getIdentity: () => ({ identity }),
    getFirstAvailableBlock: () => 0,
    minimumLedgerSlot: () => 0,
    getSlot: ([config]) => readPoint(chain, configParam(config)).slot,
    getBlockHeight: ([config]) => heightOf(readPoint(chain, configParam(config)).slot),
    getEpochInfo: ([config]) => epochInfo(readPoint(chain, configParam(config)).slot),
    getEpochSchedule: () => ({
      slotsPerEpoch,
      leaderScheduleSlotOffset: slotsPerEpoch,
      warmup: false,
      firstNormalEpoch: 0,
      firstNormalSlot: 0,
    }),
    getTransactionCount: () => ledger.count(),
    getBlockTime: ([slotParam]) => {
      const slot = integerParam(slotParam);
      if (slot > clock.slot('processed')) {
        throw new RpcError('blockNotAvailable', `Block not available for slot ${slot}`);
      }
      if (isSkipped(slot)) {
        throw new RpcError(
          'slotSkipped',
          `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`,
        );
      }
      return clock.blockTime(slot);
    },
    getLatestBlockhash: ([config]) => {
      const { commitment, slot } = readPoint(chain, configParam(config));
      const { blockhash, lastValidBlockHeight } = bank.latestBlockhash(commitment);
      return withContext(slot, { blockhash: bs58.encode(blockhash), lastValidBlockHeight });
    },
    isBlockhashValid: ([blockhash, config]) => {
      const { commitment, slot } = readPoint(chain, configParam(config));
      return withContext(slot, bank.isBlockhashValid(addressParam(blockhash), commitment));
    },
    getFeeForMessage: ([text, config]) => {
      const { commitment, slot } = readPoint(chain, configParam(config));
      return withContext(slot, bank.fee(readMessage(text), commitment));
    },
    getRecentPrioritizationFees: ([addresses]) => {
      if (addresses !== undefined && addresses !== null) listParam(addresses, 128).forEach(addressParam);
      const newest = clock.slot('processed');
      return Array.from({ length: Math.min(150, newest) }, (_, age) => newest - age)
        .filter((slot) => !isSkipped(slot))
        .map((slot) => ({ slot, prioritizationFee: 0 }));
    },
    getMinimumBalanceForRentExemption: ([bytes]) => runtime.rentExemption(integerParam(bytes)),
    getSupply: ([config]) => {
      const { commitment, slot } = readPoint(chain, configParam(config));
      const nonCirculating = Number(accounts.read(chain.faucetAddress, commitment)?.lamports ?? 0n);
      const total = Number(genesisLamports);
      return withContext(slot, {
        total,
        circulating: total - nonCirculating,
        nonCirculating,
        nonCirculatingAccounts: [identity],
      });
    },
    getVoteAccounts: () => ({
      current: [
        {
          votePubkey: identity,
          nodePubkey: identity,
          activatedStake: 1_000_000_000,
          commission: 0,
          epochVoteAccount: true,
          epochCredits: [],
          lastVote: clock.slot('processed'),
          rootSlot: clock.slot('finalized'),
        },
      ],
      delinquent: [],
    }),
  };
};

const readMessage = (text: unknown): ReturnType<typeof decodeMessage> => {
  try {
    return decodeMessage(encodedParam(text, 'base64'));
  } catch (error) {
    if (error instanceof RpcError) throw error;
    throw invalidParams(`failed to deserialize message: ${String((error as Error).message)}`);
  }
};
