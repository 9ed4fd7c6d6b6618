// The chain's state: accounts in LiteSVM, every transaction that landed, and what accounts held before those that are not
// yet finalized, so that a read at `confirmed` or `finalized` shows the past and not the newest state.
import bs58 from 'bs58';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { VersionedTransaction } from '@solana/web3.js';
import { errorOf, preflightFailed, RpcError } from './errors.mjs';
import { metaOf, readTokenAccount } from './views.mjs';

const commitments = ['processed', 'confirmed', 'finalized'];

const parse = (wire) => {
  let transaction;
  try {
    transaction = VersionedTransaction.deserialize(wire);
  } catch (error) {
    throw new RpcError(-32_602, `failed to deserialize transaction: ${error.message}`);
  }
  const { message } = transaction;
  if ((message.addressTableLookups ?? []).length > 0)
    throw new RpcError(-32_602, 'this chain knows no address lookup tables');
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  return { signature: bs58.encode(transaction.signatures[0]), message, keys };
};

export const createLedger = ({ slots, lag }) => {
  const svm = new LiteSVM();
  // LiteSVM knows one blockhash and few signatures: both are checked here.
  svm.withBlockhashCheck(false);
  svm.withTransactionHistory(0n);
  const bySignature = new Map();
  const byAddress = new Map();
  const landed = new Set();

  const commitmentOf = ({ at }) =>
    commitments.findLast((commitment) => Date.now() - at >= lag[commitment]) ?? 'processed';
  const hasReached = (record, commitment) => Date.now() - record.at >= lag[commitment];

  const newestState = (address) => {
    const account = svm.getAccount(address);
    return account.exists && account.lamports > 0n ? account : null;
  };

  /** The account as blocks of this commitment left it. */
  const accountAt = (address, commitment) => {
    const listed = byAddress.get(address) ?? [];
    const first = listed.findLastIndex((record) => hasReached(record, commitment)) + 1;
    return first < listed.length ? listed[first].before.get(address) : newestState(address);
  };

  const decimalsOf = (mint) => newestState(mint)?.data[44] ?? 0;

  /** Why these bytes cannot land now; null when they can. */
  const refusal = ({ signature, message }) => {
    if (bySignature.has(signature)) return 'AlreadyProcessed';
    return slots.isValid(message.recentBlockhash, 'processed') ? null : 'BlockhashNotFound';
  };

  const setClock = () => {
    const slot = slots.slotAt('processed');
    const clock = svm.getClock();
    clock.slot = BigInt(slot);
    clock.unixTimestamp = BigInt(slots.timeOf(slot));
    svm.setClock(clock);
    return slot;
  };

  const simulate = (wire, { sigVerify = false, replaceRecentBlockhash = false } = {}) => {
    const parsed = parse(wire);
    const why = refusal(parsed);
    if (why !== null && !(why === 'BlockhashNotFound' && replaceRecentBlockhash))
      return { err: why, logs: [], accounts: null, unitsConsumed: 0, returnData: null };
    setClock();
    svm.withSigverify(sigVerify);
    const result = svm.inner.simulateVersionedTransaction(wire);
    svm.withSigverify(true);
    const meta = result.meta();
    return {
      err: result instanceof FailedTransactionMetadata ? errorOf(result.err()) : null,
      logs: meta.logs(),
      accounts: null,
      unitsConsumed: Number(meta.computeUnitsConsumed()),
      returnData: null,
    };
  };

  /** Runs the bytes. An error that is no instruction's leaves nothing on the chain: it is returned. */
  const land = (wire, { signature, message, keys }) => {
    const slot = setClock();
    const before = new Map(keys.map((key) => [key, newestState(key)]));
    const result = svm.inner.sendVersionedTransaction(wire);
    const failed = result instanceof FailedTransactionMetadata;
    const err = failed ? errorOf(result.err()) : null;
    if (typeof err === 'string') return err;
    const meta = metaOf({
      err,
      run: failed ? result.meta() : result,
      message,
      accounts: [[...before.values()], keys.map(newestState)],
      decimalsOf,
    });
    const record = { signature, slot, at: Date.now(), wire, message, keys, before, meta };
    bySignature.set(signature, record);
    for (const key of keys) byAddress.set(key, [...(byAddress.get(key) ?? []), record]);
    for (const listener of landed) listener(record);
    return null;
  };

  return {
    svm,
    accountAt,
    commitmentOf,
    hasReached,
    decimalsOf,
    simulate,
    bySignature: (signature) => bySignature.get(signature) ?? null,
    /** Oldest first. */
    byAddress: (address) => byAddress.get(address) ?? [],
    tokenAccountsOf: (owner, programs, commitment) =>
      programs
        .flatMap((program) => svm.getProgramAccounts(program).map(({ address }) => String(address)))
        .map((address) => ({ address, account: accountAt(address, commitment) }))
        .filter(({ account }) => readTokenAccount(account)?.owner === owner),
    onLanded(listener) {
      landed.add(listener);
      return () => landed.delete(listener);
    },
    /** As a node does: without preflight it takes any bytes, and those that cannot land are dropped. */
    send(wire, { skipPreflight = false } = {}) {
      const parsed = parse(wire);
      if (!skipPreflight) {
        const { err, logs } = simulate(wire, { sigVerify: true });
        if (err === 'SignatureFailure')
          throw new RpcError(-32_003, 'Transaction signature verification failure');
        if (err !== null) throw preflightFailed(err, logs);
      }
      if (refusal(parsed) === null) land(wire, parsed);
      return parsed.signature;
    },
  };
};
