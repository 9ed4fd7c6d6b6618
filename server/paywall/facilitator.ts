// The service that pays the fee of x402's transactions and sends them. Its word is not taken: what it says it settled
// is looked up on the chain.
import { z } from 'zod';
import type { Dialect } from '../contract/payments/dialects.ts';
import type { FacilitatorHeaders } from './types.ts';
import type { JsonObject } from '../lib/base64-json.ts';
import { addressSchema, txSignatureSchema } from '../lib/solana/solana-address.ts';
import type { Due } from './check-payment.ts';

type VersionOf<D> = D extends `x402-v${infer Version extends number}` ? Version : never;
export type X402Version = VersionOf<Dialect>;

export type Settled = { txSignature: string } | { refused: string };

/** A version of x402, or MPP where the seller sends the transaction. */
export type SettledVersion = X402Version | 'mpp';

/** A buyer's half-signed payment, with its terms. */
export interface ToSettle {
  version: SettledVersion;
  payload: JsonObject;
  /** The hash of the message that the payload's transaction signs. */
  message: string;
  requirements: object;
  due: Due;
  invoice: string | null;
  memo: string | null;
}

export interface Facilitator {
  /** The wallet that pays every fee, where there is but one. */
  address?: string;
  /**
   * The wallet that pays the fee, in this version of the protocol and on the network that it names so; null when it does
   * not serve that. @throws Error when it cannot be asked
   */
  feePayer(version: SettledVersion, network: string): Promise<string | null>;
  /** Whether the payment with this message was begun, and so may have been made. */
  hasBegun?(message: string): Promise<boolean>;
  /**
   * Verifies and sends the payment: a facilitator verifies again what it settles, so /verify would only be asked twice.
   * @throws Error when it does not answer as one: the payment may be settled or not
   */
  settle(payment: ToSettle): Promise<Settled>;
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
type Kinds = z.output<typeof kindsSchema>['kinds'];
const settleSchema = z.object({
  success: z.boolean(),
  transaction: z.string().nullish(),
  errorReason: z.string().nullish(),
});

/** What it serves is asked for again after this time, and sooner after a failure. */
const keepMs = 600_000;
const failedMs = 5_000;
const askWithinMs = 5_000;
/** It waits for the chain. */
const settleWithinMs = 60_000;

/** A client of the facilitator at this URL. What it serves is kept for ten minutes, and a failure for five seconds. */
export const createFacilitator = (url: string, keys: FacilitatorHeaders = {}): Facilitator => {
  const base = url.replace(/\/+$/, '');
  let known: { kinds: Promise<Kinds>; until: number } | null = null;

  const call = async (step: string, withinMs: number, body?: object): Promise<unknown> => {
    const signal = AbortSignal.timeout(withinMs);
    const own = typeof keys === 'function' ? await keys(`${base}/${step}`) : keys;
    const headers = { ...own, 'content-type': 'application/json' };
    const request =
      body === undefined
        ? { signal, headers: own }
        : { signal, headers, method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${base}/${step}`, { ...request, redirect: 'error' }).catch(
      (error: Error) => {
        throw new Error('the facilitator cannot be reached', { cause: error });
      },
    );
    const text = await response.text();
    // Said to the seller. A refusal of /settle is an answer that is read.
    if (step === 'supported' && !response.ok)
      throw new Error(
        `the facilitator answers ${response.status}: ${JSON.stringify(without(own, text).slice(0, 200))}`,
      );
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`the facilitator answers /${step} with ${response.status} and no JSON`);
    }
  };

  const askKinds = async (): Promise<Kinds> => {
    const read = kindsSchema.safeParse(await call('supported', askWithinMs));
    if (!read.success) throw new Error('the facilitator answers /supported with no list of kinds');
    return read.data.kinds;
  };

  const findKinds = (): Promise<Kinds> => {
    if (known !== null && known.until > performance.now()) return known.kinds;
    const asked = askKinds();
    known = { kinds: asked, until: performance.now() + keepMs };
    asked.catch(() => (known = { kinds: asked, until: performance.now() + failedMs }));
    return asked;
  };

  return {
    async feePayer(version, network) {
      const kind = (await findKinds()).find(
        (one) => one.x402Version === version && one.scheme === 'exact' && one.network === network,
      );
      return kind?.extra?.feePayer ?? null;
    },
    async settle({ version: x402Version, payload: paymentPayload, requirements: paymentRequirements }) {
      const body = { x402Version, paymentPayload, paymentRequirements };
      const settled = settleSchema.parse(await call('settle', settleWithinMs, body));
      if (!settled.success) return { refused: settled.errorReason ?? 'not settled' };
      return { txSignature: txSignatureSchema.parse(settled.transaction) };
    },
  };
};

/** The text without the seller's keys, which a facilitator may quote. */
const without = (own: Readonly<Record<string, string>>, text: string): string =>
  Object.values(own)
    .flatMap((value) => [value, value.split(' ').at(-1) ?? value])
    .reduce((left, value) => (value === '' ? left : left.replaceAll(value, '…')), text);
