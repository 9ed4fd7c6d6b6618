// Compares the treasury's records with the chain, to the unit. Run after every scenario.
import { payerOf } from '../../../server/engine/domain/transfer.ts';
import { isVoid } from '../../../server/engine/domain/states.ts';
import { verifyJournal } from '../../../server/engine/records/audit.ts';
import { lateName, sharedName, txSignatureOf } from '../../../server/engine/payment/machine/tx-signature.ts';
import type { Host } from '../../../server/host/options.ts';
import type { Transfer } from '../../../server/engine/ports.ts';
import { rpcCall } from '../treasury.ts';

const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

/** The signature on the chain: in the row of a debit that was found there, `#` and more may follow it. */
const nameOf = (row: Transfer): string => txSignatureOf(row) ?? '';

export interface Audit {
  /** Signatures of a managed wallet's debits that no row explains. */
  unexplained: string[];
  /** Rows that count as paid although the chain did not move their money. */
  phantom: string[];
  open: Transfer[];
  ledgerSum: bigint;
  /** Wallets whose ledger balance differs from the chain's. */
  drift: string[];
  journal: string | null;
  spendingDrift: string[];
  /** Failed tasks that were not refunded exactly once, and other tasks that were refunded. */
  refunds: string[];
  /** Ended rows whose network fee, of those that the treasury pays, is not what the chain took. */
  fees: string[];
}

interface Landed {
  transaction: { message: { header: { numRequiredSignatures: number }; accountKeys: string[] } };
  meta: { err: unknown; fee: number; preTokenBalances: Balance[]; postTokenBalances: Balance[] };
}
interface Balance {
  owner: string;
  mint: string;
  uiTokenAmount: { amount: string };
}

const changeOf = ({ meta }: Landed, owner: string): bigint => {
  const held = (balances: Balance[]): bigint =>
    balances
      .filter((it) => it.owner === owner && it.mint === mint)
      .reduce((total, it) => total + BigInt(it.uiTokenAmount.amount), 0n);
  return held(meta.postTokenBalances) - held(meta.preTokenBalances);
};

/** The owner of a cold treasury spends from it too; only what our treasury signed is ours. */
const isSignedBy = async (rpcUrl: string, signature: string, address: string): Promise<boolean> => {
  const options = { encoding: 'json', maxSupportedTransactionVersion: 0 };
  const { transaction } = (await rpcCall(rpcUrl, 'getTransaction', [signature, options])) as Landed;
  const { header, accountKeys } = transaction.message;
  return accountKeys.slice(0, header.numRequiredSignatures).includes(address);
};

/**
 * Checks everything that the invariants say of the store and the chain together.
 * @param changes the amounts that finalised transactions moved, by wallet and signature: known ones are not read again
 */
export const audit = async (
  { engine, rpcUrl }: Pick<Host, 'engine' | 'rpcUrl'>,
  changes = new Map<string, bigint>(),
): Promise<Audit> => {
  const changeBy = async (signature: string, owner: string): Promise<bigint> => {
    const name = `${owner} ${signature}`;
    const known = changes.get(name);
    if (known !== undefined) return known;
    const landed = (await rpcCall(rpcUrl, 'getTransaction', [
      signature,
      { encoding: 'json', maxSupportedTransactionVersion: 0 },
    ])) as Landed;
    if (landed.transaction.message.accountKeys[0] === engine.context.settings.owner)
      taken.set(signature, BigInt(landed.meta.fee));
    const change = landed.meta.err === null ? changeOf(landed, owner) : 0n;
    changes.set(name, change);
    return change;
  };
  const { store, time } = engine.context;
  /** Lamports of fees that the treasury paid, by signature. */
  const taken = new Map<string, bigint>();
  const rowOf = (signature: string, payer: string, mark: string): Transfer | undefined =>
    [lateName(signature), sharedName(signature, mark), signature]
      .map((name) => store.transfers.bySignature(name))
      .find((row) => row !== undefined && payerOf(row) === payer);
  const unexplained: string[] = [];
  const paid = new Map<string, bigint>();
  const onChain = new Map<string, bigint>();
  for (const wallet of store.wallets.list()) {
    const accounts = await rpcCall(rpcUrl, 'getTokenAccountsByOwner', [
      wallet.address,
      { mint },
      { encoding: 'jsonParsed' },
    ]);
    const account = accounts.value[0];
    onChain.set(
      wallet.address,
      account === undefined ? 0n : BigInt(account.account.data.parsed.info.tokenAmount.amount),
    );
    if (account === undefined) continue;
    for (const signature of await signaturesOf(rpcUrl, account.pubkey)) {
      const change = await changeBy(signature, wallet.address);
      if (change >= 0n) continue;
      const row = rowOf(signature, wallet.address, String(wallet.index));
      if (row === undefined || isVoid(row) || row.amount !== -change) unexplained.push(signature);
      paid.set(signature, -change);
    }
  }
  const rows = [...store.transfers.iterate({})];
  const treasury = engine.context.settings.owner;
  for (const source of new Set(rows.flatMap((row) => row.source ?? []))) {
    const account = engine.context.chain.tokenAccount(source);
    for (const signature of await signaturesOf(rpcUrl, account)) {
      const change = await changeBy(signature, source);
      if (change >= 0n || !(await isSignedBy(rpcUrl, signature, treasury))) continue;
      const row = rowOf(signature, source, 'cold');
      if (row === undefined || row.amount !== -change) unexplained.push(signature);
      paid.set(signature, -change);
    }
  }
  const phantom = rows
    .filter((row) => row.asset === 'USDC' && row.state === 'final' && paid.get(nameOf(row)) !== row.amount)
    .map(({ id }) => id);
  const fees = rows
    .filter(
      ({ state, signed }) => (state === 'final' || state === 'failed') && !signed?.signature.includes('#'),
    )
    .filter((row) => (taken.get(nameOf(row)) ?? row.feeLamports) !== row.feeLamports)
    .map((row) => `${row.id}: ${row.feeLamports} booked, ${taken.get(txSignatureOf(row) ?? '')} taken`);
  const balances = store.ledger.balances();
  const drift = [...onChain]
    .filter(([address, units]) => (balances.get(`USDC:${address}`) ?? 0n) !== units)
    .map(([address, units]) => `${address}: chain ${units}, ledger ${balances.get(`USDC:${address}`) ?? 0n}`);
  const ledgerSum = [...balances.values()].reduce((sum, units) => sum + units, 0n);
  const now = time.now();
  const owed = refundFaults(rows, store);
  const spendingDrift = store.agents.list().flatMap(({ agentId }) => {
    const own = rows.filter(
      (row) => row.agentId === agentId && (row.kind === 'payment' || row.kind === 'charge'),
    );
    const refunded = new Set(
      rows.flatMap(({ kind, state, invoice }) => (kind === 'refund' && state === 'final' ? [invoice] : [])),
    );
    const inWindow = (row: Transfer): boolean =>
      row.state === 'final' &&
      !refunded.has(row.id) &&
      Math.max(row.reservedAt ?? 0, row.blockTime ?? 0) > now - 86_400_000;
    const reported = own.filter((row) => isReported(row) && !refunded.has(row.id));
    const { open, final } = store.spend.at(agentId, now);
    const { spent, payments } = store.spend.lifetime(agentId);
    const kept = `${open}+${final}, ${spent} in ${payments}`;
    const ofRows = `${sum(own.filter(isOpen))}+${sum(own.filter(inWindow))}, ${sum(reported)} in ${reported.length}`;
    return kept === ofRows ? [] : [`${agentId}: kept ${kept}, rows ${ofRows}`];
  });
  return {
    unexplained,
    phantom,
    open: store.transfers.open(),
    ledgerSum,
    drift,
    journal: verifyJournal(store),
    spendingDrift,
    refunds: owed,
    fees,
  };
};

/** Spending as the owner is shown it: paid as far as we know, or delivered before the chain confirmed. */
const isReported = (row: Transfer): boolean =>
  row.state === 'seen' || row.state === 'final' || (isOpen(row) && row.purchase?.delivery === 'delivered');

const refundFaults = (rows: readonly Transfer[], store: Host['engine']['context']['store']): string[] =>
  rows
    .filter(({ kind }) => kind === 'charge')
    .flatMap((charge) => {
      const task = store.tasks.byCharge(charge.id);
      const paid = rows.filter(
        ({ kind, state, invoice }) => kind === 'refund' && state === 'final' && invoice === charge.id,
      );
      const due = charge.state === 'final' && task?.state === 'failed' ? charge.amount : 0n;
      return sum(paid) === due && paid.length < 2 ? [] : [`${charge.id}: ${sum(paid)} back, ${due} due`];
    });

const signaturesOf = async (rpcUrl: string, account: string): Promise<string[]> => {
  const all: string[] = [];
  for (;;) {
    const before = all.at(-1);
    const page = (await rpcCall(rpcUrl, 'getSignaturesForAddress', [
      account,
      { limit: 1_000, ...(before === undefined ? {} : { before }) },
    ])) as { signature: string }[];
    all.push(...page.map(({ signature }) => signature));
    if (page.length < 1_000) return all;
  }
};

export const clean = (result: Audit) => ({
  unexplained: result.unexplained,
  phantom: result.phantom,
  open: result.open.map(({ id, state }) => `${id} ${state}`),
  ledgerSum: result.ledgerSum,
  drift: result.drift,
  journal: result.journal,
  spendingDrift: result.spendingDrift,
  refunds: result.refunds,
  fees: result.fees,
});

export const allWell = {
  unexplained: [],
  phantom: [],
  open: [],
  ledgerSum: 0n,
  drift: [],
  journal: null,
  spendingDrift: [],
  refunds: [],
  fees: [],
};

const isOpen = (row: Transfer): boolean =>
  ['reserved', 'signed', 'sent', 'seen', 'unknown'].includes(row.state);
const sum = (rows: Transfer[]): bigint => rows.reduce((total, row) => total + row.amount, 0n);
