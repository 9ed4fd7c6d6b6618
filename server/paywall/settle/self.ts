// Settles payments of x402 and MPP with no facilitator: judges the buyer's transaction, adds the fee payer's signature, sends
// it, and waits for the chain.
//
// The row comes before the wire: the signature leaves this process only after a row with the signed bytes is on disk. The row
// decides between processes: one message is sent once, and no second message for an invoice while the first can land. After
// a crash the same payment shown again sends the same bytes again. An open row ends by what the chain shows, or by the proof
// that it can no longer land, and never by a timeout.
import bs58 from 'bs58';
import { z } from 'zod';
import { isObject } from '../../lib/base64-json.ts';
import { isSignature } from '../../lib/solana/wallet-signature.ts';
import { encodeTransaction } from '../../lib/solana/wire.ts';
import type { Facilitator, ToSettle } from '../facilitator.ts';
import type { GrantStore, KeySigner, Settling, SettlingOutcome } from '../types.ts';
import { charge, exact } from './codes.ts';
import { judge, leastLamports, mostLamportsOf, type Demand, type Judged } from './judge.ts';
import { createWatch, ended, finish, type LandingDeps } from './landing.ts';

interface SelfDeps extends Omit<LandingDeps, 'store'> {
  feePayer: KeySigner;
  mostLamportsPerDay: number;
  store: GrantStore;
}

/** `store` has all that the options ask for. */
type Deps = Omit<SelfDeps, 'store'> & Pick<LandingDeps, 'store'>;

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Of one payment: a few buyers with dear bids must not use up the day. */
const mostShareOfDay = 0.01;
const mostFailed = 3;
const mostOpen = 16;
/** A wallet below it may pay no fee: https://solana.com/docs/core/accounts#rent */
const rentExempt = 890_880;
/** How long a balance and the day's sum are believed. */
const believedMs = 1_000;
/** A node may be some blocks behind: its last valid height is then too low by as many. */
const heightsBehind = 64;

const simulationSchema = z.object({ value: z.object({ err: z.unknown() }) });
const balanceSchema = z.object({ value: z.number() });
const latestSchema = z.object({ value: z.object({ lastValidBlockHeight: z.number().int() }) });

/** Payments of one seller; several over one store settle each once between them. Looks at those that a crash left. */
export const createSelf = (given: SelfDeps): Facilitator => {
  const deps = given as Deps;
  const { store, feePayer } = deps;
  const offer = createOffer(deps);
  const watch = createWatch(deps);
  watch.look();
  return {
    address: feePayer.address,
    feePayer: () => offer.current(),
    hasBegun: async (message) => (await store.findSettling('message', message)) !== undefined,
    async settle(payment) {
      const begun = (await store.findSettling('message', payment.message)) ?? (await begin(deps, payment));
      offer.forget();
      if ('refused' in begun) return begun;
      // For the case that this request does not see its end.
      watch.later();
      const settled = await finish(deps, begun);
      if (settled === null)
        throw new Error(`the chain does not show the settlement ${begun.txSignature} yet`);
      return settled;
    },
  };
};

/** Whether fees can be paid now; the seller's log says it once when they cannot. */
const createOffer = ({ feePayer: { address }, mostLamportsPerDay, reader, store, warn }: Deps) => {
  let known: { until: number; why: Promise<string | null> } | null = null;
  let isWarned = false;
  const ask = async (): Promise<string | null> => {
    const spent = await store.settlingLamports(Date.now() - dayMs);
    if (spent + leastLamports > mostLamportsPerDay)
      return `settle.mostLamportsPerDay: ${spent} of ${mostLamportsPerDay} lamports were spent in 24 hours`;
    const { value } = balanceSchema.parse(
      await reader.call('getBalance', [address, { commitment: 'processed' }]),
    );
    return value < rentExempt + leastLamports
      ? `settle.feePayer: ${address} has ${value} lamports; send it SOL`
      : null;
  };
  return {
    async current(): Promise<string | null> {
      if (known === null || known.until < performance.now())
        known = { until: performance.now() + believedMs, why: ask() };
      const why = await known.why;
      if (why !== null && !isWarned) warn(new Error(why), 'x402 and MPP by pull are not offered');
      isWarned = why !== null;
      return why === null ? address : null;
    },
    forget: () => void (known = null),
  };
};

/** The row of a payment that may be sent, or why it must not be. */
const begin = async (deps: Deps, payment: ToSettle): Promise<Settling | { refused: string }> => {
  const { store, reader, mostLamportsPerDay } = deps;
  const demand = demandOf(deps, payment);
  const judged = judge(wireOf(payment), demand);
  if ('refused' in judged) return judged;
  const most = Math.max(2 * leastLamports, mostLamportsPerDay * mostShareOfDay);
  if (judged.lamports > Math.min(most, mostLamportsOf(demand.protocol)))
    return { refused: 'its priority fee is too high for this seller' };
  const [isGood, latest] = await Promise.all([
    simulate(deps, judged),
    reader.call('getLatestBlockhash', [{ commitment: 'processed' }]),
  ]);
  if (!isGood) return { refused: (demand.protocol === 'exact' ? exact : charge).simulation };
  const { lastValidBlockHeight } = latestSchema.parse(latest).value;
  const settling = sign(deps, payment, judged, lastValidBlockHeight + heightsBehind);
  const limits = {
    mostLamports: mostLamportsPerDay,
    daySince: settling.begunAt - dayMs,
    mostFailed,
    hourSince: settling.begunAt - hourMs,
    mostOpen,
  };
  let outcome = await store.beginSettling(settling, limits);
  if (outcome === 'invoice_busy' && (await isFreeAgain(deps, settling)))
    outcome = await store.beginSettling(settling, limits);
  if (outcome === 'begun') return settling;
  const known = outcome === 'known' ? await store.findSettling('message', settling.message) : undefined;
  return known ?? { refused: sentences[outcome] };
};

const sentences: Readonly<Record<SettlingOutcome, string>> = {
  begun: '',
  known: 'this payment has ended',
  invoice_busy: 'another payment for this offer is under way',
  lamports_spent: 'no more fees are paid today',
  payer_failed: `${mostFailed} payments of this wallet failed within an hour`,
  payer_busy: `${mostOpen} payments of this wallet are under way`,
};

const demandOf = (
  { feePayer: { address } }: Deps,
  { version, due: { mint, account, amount }, memo }: ToSettle,
): Demand => ({
  protocol: version === 'mpp' ? 'charge' : 'exact',
  mint,
  account,
  amount,
  feePayer: address,
  memo,
  mostInstructions: version === 2 ? 7 : 6,
});

const wireOf = ({ payload: { payload } }: ToSettle): Buffer =>
  Buffer.from(isObject(payload) ? String(payload['transaction']) : '', 'base64');

/** On the message that will be sent. Its payer's signature is checked already, and the fee payer's does not leave for it. */
const simulate = async ({ reader }: Deps, { transaction }: Judged): Promise<boolean> => {
  const [, signature = Buffer.alloc(64)] = transaction.signatures;
  const wire = encodeTransaction([Buffer.alloc(64), signature], transaction.message.bytes);
  const config = { encoding: 'base64', commitment: 'processed', sigVerify: false };
  const answer = await reader.call('simulateTransaction', [wire.toString('base64'), config]);
  return (simulationSchema.parse(answer).value.err ?? null) === null;
};

const sign = (
  { feePayer, terms }: Deps,
  { message, invoice }: ToSettle,
  { transaction, payer, lamports }: Judged,
  lastValidBlockHeight: number,
): Settling => {
  const { bytes } = transaction.message;
  const signature = feePayer.sign(bytes);
  if (!isSignature(signature, bytes, feePayer.address))
    throw new Error(`settle.feePayer: it does not sign with the key of ${feePayer.address}`);
  return {
    message,
    invoice,
    network: terms.network,
    payer,
    txSignature: bs58.encode(signature),
    wire: encodeTransaction([signature, ...transaction.signatures.slice(1)], bytes).toString('base64'),
    lastValidBlockHeight,
    lamports,
    begunAt: Date.now(),
    state: 'open',
  };
};

/** Whether the other payment for this invoice has ended without paying. */
const isFreeAgain = async (deps: Deps, { invoice }: Settling): Promise<boolean> => {
  const other = invoice === null ? undefined : await deps.store.findSettling('invoice', invoice);
  if (other === undefined) return true;
  const end = other.state === 'open' ? await ended(deps, other, true) : other.state;
  return end === 'failed' || end === 'expired';
};
