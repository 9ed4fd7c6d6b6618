// Methods that look up transactions.
import bs58 from 'bs58';

import type { Chain } from '../chain/chain.ts';
import { heightOf, type Commitment } from '../chain/clock.ts';
import type { StatusRow } from '../chain/ledger.ts';
import { errAndStatus } from '../views/meta-view.ts';
import { renderTransaction, transactionEncodings, type TransactionShape } from '../views/transaction-view.ts';
import { requireSlot, withContext, type Methods } from './context.ts';
import { invalidParams } from './errors.ts';
import {
  addressParam,
  configParam,
  confirmedCommitmentOf,
  flag,
  listParam,
  optionalInteger,
  signatureParam,
  type Config,
} from './params.ts';

/** Older statuses need `searchTransactionHistory`, as on nodes, which keep only recent ones at hand. */
const recentStatusSlots = 300;
const maxHistory = 1000;

export const transactionMethods = (chain: Chain): Methods => {
  const { clock, ledger } = chain;

  const commitmentReached = (row: StatusRow): Commitment => {
    if (row.atMs <= clock.horizon('finalized')) return 'finalized';
    return row.atMs <= clock.horizon('confirmed') ? 'confirmed' : 'processed';
  };

  const status = (signature: Uint8Array, newestSlot: number, isSearch: boolean): object | null => {
    const row = ledger.status(signature);
    if (!row || (!isSearch && newestSlot - row.slot > recentStatusSlots)) return null;
    const reached = commitmentReached(row);
    const depth = Math.min(31, heightOf(newestSlot) - heightOf(row.slot));
    return {
      slot: row.slot,
      confirmations: reached === 'finalized' ? null : reached === 'confirmed' ? Math.max(1, depth) : 0,
      ...errAndStatus(row.err),
      confirmationStatus: reached,
    };
  };

  /** The position in history of a signature that a client pages by. */
  const idOf = (value: unknown, whenAbsent: number): number =>
    value === undefined || value === null ? whenAbsent : (ledger.status(signatureParam(value))?.id ?? 0);

  return {
    getSignatureStatuses: ([signatures, config]) => {
      const keys = listParam(signatures, 256).map(signatureParam);
      const isSearch = flag(configParam(config)['searchTransactionHistory']);
      const slot = clock.slot('processed');
      return withContext(
        slot,
        keys.map((signature) => status(signature, slot, isSearch)),
      );
    },
    getTransaction: ([signature, configParams]) => {
      const config =
        typeof configParams === 'string' ? { encoding: configParams } : configParam(configParams);
      const horizonMs = clock.horizon(confirmedCommitmentOf(config));
      const row = ledger.transaction(signatureParam(signature));
      return row && row.atMs <= horizonMs ? renderTransaction(chain, row, transactionShape(config)) : null;
    },
    getSignaturesForAddress: ([address, configParams]) => {
      const config = configParam(configParams);
      const commitment = confirmedCommitmentOf(config);
      requireSlot(config, clock.slot(commitment));
      const limit = optionalInteger(config['limit']) ?? maxHistory;
      if (limit < 1 || limit > maxHistory) throw invalidParams(`Invalid limit; max ${maxHistory}`);
      const query = {
        address: addressParam(address),
        beforeId: idOf(config['before'], Number.MAX_SAFE_INTEGER),
        untilId: idOf(config['until'], 0),
        horizonMs: clock.horizon(commitment),
        limit,
      };
      return ledger.history(query).map((row) => ({
        signature: bs58.encode(row.signature),
        slot: row.slot,
        err: errAndStatus(row.err).err,
        memo: row.memo,
        blockTime: clock.blockTime(row.slot),
        confirmationStatus: commitmentReached(row),
      }));
    },
  };
};

export const transactionShape = (config: Config): TransactionShape => {
  const encoding = config['encoding'] ?? 'json';
  const known = [...transactionEncodings, 'binary' as const].find((name) => name === encoding);
  if (known === undefined) throw invalidParams(`Invalid params: unknown variant \`${String(encoding)}\``);
  return { encoding: known, maxVersion: optionalInteger(config['maxSupportedTransactionVersion']) };
};
