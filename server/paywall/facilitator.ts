// The service that pays the fee of x402's transactions and sends them. Its word is not taken: what it says it settled
// is looked up on the chain.
import { z } from 'zod';
import { x402Networks } from '../contract/treasury/networks.ts';
import { addressSchema, txSignatureSchema } from '../lib/solana/solana-address.ts';
import type { Network } from './types.ts';

export type X402Version = 1 | 2;

/** The wallet that pays the fee, by version of the protocol; null for a version that it does not serve. */
export type FeePayers = Readonly<Record<X402Version, string | null>>;

export type Settled = { txSignature: string } | { refused: string };

export interface Facilitator {
  /** @throws Error when it cannot be asked */
  feePayers(): Promise<FeePayers>;
  /**
   * Verifies and sends the payment: a facilitator verifies again what it settles, so /verify would only be asked twice.
   * @throws Error when it does not answer as one: the payment may be settled or not
   */
  settle(version: X402Version, payload: object, requirements: object): Promise<Settled>;
}

const kindsSchema = z.object({
  kinds: z.array(
    z.object({
      x402Version: z.number(),
      scheme: z.string(),
      network: z.string(),
      extra: z.object({ feePayer: addressSchema.optional() }).nullish(),
    }),
  ),
});
const settleSchema = z.object({
  success: z.boolean(),
  transaction: z.string().nullish(),
  errorReason: z.string().nullish(),
});

/** Fee payers are asked for again after this time, and sooner after a failure. */
const keepMs = 600_000;
const failedMs = 5_000;
const askWithinMs = 5_000;
/** It waits for the chain. */
const settleWithinMs = 60_000;

/** A client of the facilitator at this URL. Fee payers are kept for ten minutes, and a failure for five seconds. */
export const createFacilitator = (url: string, network: Network): Facilitator => {
  const base = url.replace(/\/+$/, '');
  let known: { feePayers: Promise<FeePayers>; until: number } | null = null;

  const call = async (step: string, withinMs: number, body?: object): Promise<unknown> => {
    const signal = AbortSignal.timeout(withinMs);
    const headers = { 'content-type': 'application/json' };
    const request =
      body === undefined ? { signal } : { signal, headers, method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${base}/${step}`, { ...request, redirect: 'error' });
    const text = await response.text();
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`the facilitator answers /${step} with ${response.status} and no JSON`);
    }
  };

  const askFeePayers = async (): Promise<FeePayers> => {
    const { kinds } = kindsSchema.parse(await call('supported', askWithinMs));
    const payerOf = (version: X402Version): string | null => {
      const name = x402Networks[network][`v${version}`];
      const kind = kinds.find(
        (one) => one.x402Version === version && one.scheme === 'exact' && one.network === name,
      );
      return kind?.extra?.feePayer ?? null;
    };
    return { 1: payerOf(1), 2: payerOf(2) };
  };

  return {
    feePayers() {
      if (known !== null && known.until > performance.now()) return known.feePayers;
      const asked = askFeePayers();
      known = { feePayers: asked, until: performance.now() + keepMs };
      asked.catch(() => (known = { feePayers: asked, until: performance.now() + failedMs }));
      return asked;
    },
    async settle(x402Version, paymentPayload, paymentRequirements) {
      const body = { x402Version, paymentPayload, paymentRequirements };
      const settled = settleSchema.parse(await call('settle', settleWithinMs, body));
      if (!settled.success) return { refused: settled.errorReason ?? 'not settled' };
      return { txSignature: txSignatureSchema.parse(settled.transaction) };
    },
  };
};
