// Methods about single blocks. A block without transactions exists, and is empty.
import bs58 from 'bs58';

import type { Chain } from '../chain/chain.ts';
import { heightOf, isSkipped } from '../chain/clock.ts';
import { renderWithMeta } from '../views/transaction-view.ts';
import type { Methods } from './context.ts';
import { RpcError, invalidParams } from './errors.ts';
import { configParam, confirmedCommitmentOf, integerParam, optionalInteger } from './params.ts';
import { transactionShape } from './transaction-methods.ts';

const maxSlots = 500_000;

export const blockMethods = (chain: Chain): Methods => {
  const { clock, ledger, blockhashes } = chain;

  const transactions = (slot: number, details: unknown, config: ReturnType<typeof configParam>): object => {
    const rows = ledger.transactionsOfSlot(slot);
    if (details === 'none') return {};
    if (details === 'signatures') return { signatures: rows.map(({ signature }) => bs58.encode(signature)) };
    if (details !== 'full') {
      throw invalidParams(`Invalid params: transactionDetails \`${String(details)}\` is not supported`);
    }
    const shape = transactionShape(config);
    return { transactions: rows.map((row) => renderWithMeta(row, shape)) };
  };

  return {
    getBlock: ([slotParam, configParams]) => {
      const slot = integerParam(slotParam);
      const config = configParam(configParams);
      requireBlock(slot, clock.slot(confirmedCommitmentOf(config)));
      const parentSlot = Math.max(0, isSkipped(slot - 1) ? slot - 2 : slot - 1);
      return {
        blockhash: bs58.encode(blockhashes.ofSlot(slot)),
        previousBlockhash: bs58.encode(blockhashes.ofSlot(parentSlot)),
        parentSlot,
        blockHeight: heightOf(slot),
        blockTime: clock.blockTime(slot),
        ...transactions(slot, config['transactionDetails'] ?? 'full', config),
        ...(config['rewards'] === false ? {} : { rewards: [] }),
      };
    },
    getBlockTime: ([slotParam]) => {
      const slot = integerParam(slotParam);
      requireBlock(slot, clock.slot('processed'));
      return clock.blockTime(slot);
    },
    getBlocks: ([fromParam, toOrConfig, configParams]) => {
      const from = integerParam(fromParam);
      const isRange = typeof toOrConfig === 'number';
      const newest = clock.slot(
        confirmedCommitmentOf(configParam(isRange ? configParams : (toOrConfig ?? configParams))),
      );
      const to = Math.min(isRange ? integerParam(toOrConfig) : newest, newest);
      if (to - from > maxSlots) throw invalidParams(`Slot range too large; max ${maxSlots}`);
      return produced(from, to);
    },
    getBlocksWithLimit: ([fromParam, limitParam, configParams]) => {
      const from = integerParam(fromParam);
      const limit = optionalInteger(limitParam) ?? 0;
      if (limit > maxSlots) throw invalidParams(`Limit too large; max ${maxSlots}`);
      const newest = clock.slot(confirmedCommitmentOf(configParam(configParams)));
      return produced(from, Math.min(newest, from + 2 * limit)).slice(0, limit);
    },
  };
};

const requireBlock = (slot: number, newest: number): void => {
  if (slot > newest) throw new RpcError('blockNotAvailable', `Block not available for slot ${slot}`);
  if (isSkipped(slot)) {
    throw new RpcError(
      'slotSkipped',
      `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`,
    );
  }
};

const produced = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index).filter(
    (slot) => !isSkipped(slot),
  );
