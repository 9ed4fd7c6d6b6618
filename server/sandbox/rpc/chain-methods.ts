// Methods about the chain as a whole: time, slots, blockhashes, fees.
import bs58 from 'bs58';

import { genesisLamports, type Chain } from '../chain/chain.ts';
import { heightOf, isSkipped } from '../chain/clock.ts';
import { decodeMessage } from '../../lib/solana/wire.ts';
import { apiVersion, readPoint, withContext, type Methods } from './context.ts';
import { RpcError, invalidParams } from './errors.ts';
import { addressParam, configParam, encodedParam, integerParam, listParam } from './params.ts';

const slotsPerEpoch = 432_000;
const featureSet = 3_640_012_085;

export const chainMethods = (chain: Chain): Methods => {
  const { clock, bank, ledger, runtime, accounts } = chain;
  const identity = identityOf(chain);
  return {
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': apiVersion, 'feature-set': featureSet }),
    getGenesisHash: () => chain.genesisHash,
    getIdentity: () => ({ identity }),
    getFirstAvailableBlock: () => 0,
    minimumLedgerSlot: () => 0,
    getSlot: ([config]) => readPoint(chain, configParam(config)).slot,
    getBlockHeight: ([config]) => heightOf(readPoint(chain, configParam(config)).slot),
    getEpochInfo: ([config]) => epochInfo(chain, readPoint(chain, configParam(config)).slot),
    getEpochSchedule: () => ({
      slotsPerEpoch,
      leaderScheduleSlotOffset: slotsPerEpoch,
      warmup: false,
      firstNormalEpoch: 0,
      firstNormalSlot: 0,
    }),
    getTransactionCount: () => ledger.count(),
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
    getVoteAccounts: () => ({ current: [validator(chain)], delinquent: [] }),
  };
};

const identityOf = ({ faucetAddress }: Chain): string => bs58.encode(faucetAddress);

/** The only one there is. */
const validator = (chain: Chain): object => ({
  votePubkey: identityOf(chain),
  nodePubkey: identityOf(chain),
  activatedStake: 1_000_000_000,
  commission: 0,
  epochVoteAccount: true,
  epochCredits: [],
  lastVote: chain.clock.slot('processed'),
  rootSlot: chain.clock.slot('finalized'),
});

const epochInfo = ({ ledger }: Chain, slot: number): object => ({
  absoluteSlot: slot,
  blockHeight: heightOf(slot),
  epoch: Math.floor(slot / slotsPerEpoch),
  slotIndex: slot % slotsPerEpoch,
  slotsInEpoch: slotsPerEpoch,
  transactionCount: ledger.count(),
});

const readMessage = (text: unknown): ReturnType<typeof decodeMessage> => {
  try {
    return decodeMessage(encodedParam(text, 'base64'));
  } catch (error) {
    if (error instanceof RpcError) throw error;
    throw invalidParams(`failed to deserialize message: ${String((error as Error).message)}`);
  }
};
