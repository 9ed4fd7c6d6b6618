// The methods of Solana's JSON-RPC that the treasury and the official packages of x402 call.
import bs58 from 'bs58';
import { VersionedMessage } from '@solana/web3.js';
import { RpcError } from './errors.mjs';
import {
  accountView,
  amountView,
  feeOf,
  memoOf,
  readTokenAccount,
  tokenPrograms,
  transactionView,
} from './views.mjs';

const slotsInEpoch = 432_000;
const listedAtOnce = 1_000;
/** Without `searchTransactionHistory` a status is known for so many slots. */
const slotsOfStatuses = 150;

const wireOf = (text, encoding = 'base58') =>
  encoding === 'base64' ? new Uint8Array(Buffer.from(text, 'base64')) : bs58.decode(text);

export const createMethods = ({ slots, ledger, lag, genesis }) => {
  /** The commitment that is asked for, `finalized` where none is. @throws RpcError while the node is behind `minContextSlot` */
  const at = ({ commitment = 'finalized', minContextSlot = 0 } = {}) => {
    if (!(commitment in lag)) throw new RpcError(-32_602, `unknown commitment ${commitment}`);
    if (slots.slotAt(commitment) < minContextSlot)
      throw new RpcError(-32_016, 'Minimum context slot has not been reached', {
        contextSlot: slots.slotAt(commitment),
      });
    return commitment;
  };
  const inContext = (commitment, value) => ({
    context: { apiVersion: '3.0.0', slot: slots.slotAt(commitment) },
    value,
  });
  const look = (address, options) => ledger.accountAt(address, at(options));
  const statusOf = (record) => {
    const confirmationStatus = ledger.commitmentOf(record);
    const { err, status } = record.meta;
    const confirmations = { processed: 0, confirmed: 1, finalized: null }[confirmationStatus];
    return { slot: record.slot, confirmations, err, status, confirmationStatus };
  };
  const epochInfo = (options) => {
    const absoluteSlot = slots.slotAt(at(options));
    return {
      absoluteSlot,
      blockHeight: slots.heightAt(absoluteSlot),
      epoch: Math.floor(absoluteSlot / slotsInEpoch),
      slotIndex: absoluteSlot % slotsInEpoch,
      slotsInEpoch,
      transactionCount: null,
    };
  };

  return {
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': '3.0.0', 'feature-set': 0 }),
    getGenesisHash: () => genesis,
    getSlot: (options) => slots.slotAt(at(options)),
    getBlockHeight: (options) => slots.heightAt(slots.slotAt(at(options))),
    getEpochInfo: epochInfo,
    getFirstAvailableBlock: () => slots.firstSlot,
    getBlockTime: (slot) => slots.timeOf(slot),
    getLatestBlockhash: (options) => inContext(at(options), slots.latest(at(options))),
    isBlockhashValid: (hash, options) => inContext(at(options), slots.isValid(hash, at(options))),
    getFeeForMessage: (message, options) =>
      inContext(at(options), feeOf(VersionedMessage.deserialize(Buffer.from(message, 'base64')))),
    getRecentPrioritizationFees: () => [{ slot: slots.slotAt('processed'), prioritizationFee: 0 }],
    getMinimumBalanceForRentExemption: (size) =>
      Number(ledger.svm.minimumBalanceForRentExemption(BigInt(size))),

    getBalance: (address, options) => inContext(at(options), Number(look(address, options)?.lamports ?? 0n)),
    getAccountInfo: (address, options) =>
      inContext(at(options), accountView(look(address, options), options?.encoding)),
    getMultipleAccounts: (addresses, options) =>
      inContext(
        at(options),
        addresses.map((address) => accountView(look(address, options), options?.encoding)),
      ),
    getTokenAccountBalance(address, options) {
      const token = readTokenAccount(look(address, options));
      if (token === null) throw new RpcError(-32_602, 'Invalid param: could not find account');
      return inContext(at(options), amountView(token.amount, ledger.decimalsOf(token.mint)));
    },
    getTokenAccountsByOwner(owner, { mint, programId }, options) {
      const programs = programId === undefined ? tokenPrograms : [programId];
      const owned = ledger
        .tokenAccountsOf(owner, programs, at(options))
        .filter(({ account }) => mint === undefined || readTokenAccount(account).mint === mint);
      return inContext(
        at(options),
        owned.map(({ address, account }) => ({
          pubkey: address,
          account: accountView(account, options?.encoding),
        })),
      );
    },

    simulateTransaction: (text, options = {}) =>
      inContext('processed', ledger.simulate(wireOf(text, options.encoding), options)),
    sendTransaction: (text, options = {}) => ledger.send(wireOf(text, options.encoding), options),
    getSignatureStatuses(signatures, { searchTransactionHistory = false } = {}) {
      const oldest = searchTransactionHistory ? 0 : slots.slotAt('processed') - slotsOfStatuses;
      const found = signatures.map((signature) => ledger.bySignature(signature));
      return inContext(
        'processed',
        found.map((record) => (record === null || record.slot < oldest ? null : statusOf(record))),
      );
    },
    getTransaction(signature, options = {}) {
      const record = ledger.bySignature(signature);
      if (record === null || !ledger.hasReached(record, at(options))) return null;
      if (record.message.version !== 'legacy' && options.maxSupportedTransactionVersion === undefined)
        throw new RpcError(-32_015, 'Transaction version (0) is not supported by the requesting client.');
      return transactionView(record, slots.timeOf(record.slot), options.encoding);
    },
    getSignaturesForAddress(address, options = {}) {
      const commitment = at(options);
      const listed = ledger.byAddress(address).toReversed();
      const indexOf = (signature) => listed.findIndex((record) => record.signature === signature);
      const from = options.before === undefined ? 0 : indexOf(options.before) + 1;
      const until = options.until === undefined ? -1 : indexOf(options.until);
      return listed
        .slice(from, until === -1 ? undefined : until)
        .filter((record) => ledger.hasReached(record, commitment))
        .slice(0, options.limit ?? listedAtOnce)
        .map((record) => ({
          signature: record.signature,
          slot: record.slot,
          err: record.meta.err,
          memo: memoOf(record),
          blockTime: slots.timeOf(record.slot),
          confirmationStatus: ledger.commitmentOf(record),
        }));
    },
  };
};
