// A `fetch` that pays: the request goes through the treasury's proxy, under an idempotency key that outlives this process.
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { configFolder } from '../linked-agent.ts';
import { answerOf, isSellers, throughProxy } from './answer.ts';
import { digestOf, hasOwnKey, maximum, readAsked, type Asked } from './asked.ts';
import { connect, type Connection } from './connection.ts';
import { createKeptKeys, type KeptKey, type KeptKeys } from './kept-keys.ts';
import type { TreasuryOptions } from './options.ts';
import { paymentOf } from './payment-of.ts';
import { endsKey, isUnsettled, TreasuryError } from './treasury-error.ts';

/** A payment that waits for the owner (`awaiting_approval`), or for the chain (`payment_pending`). */
export type Waiting = Pick<TreasuryError, 'code' | 'message' | 'paymentId' | 'approvalId' | 'details'>;

export interface TreasuryFetchOptions extends TreasuryOptions {
  /** Pays no more than this for one request, in USDC, as `'0.10'`; the header X-Treasury-Max-Amount wins. */
  maxAmount?: string;
  /** The folder of idempotency keys; otherwise `requests` beside the file of a linked machine. */
  folder?: string;
  /** Called at each turn of a wait, which only the owner, the chain or the request's signal ends. */
  onWaiting?: (waiting: Waiting) => void;
}

export type TreasuryFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

interface Paying extends Pick<TreasuryFetchOptions, 'onWaiting'> {
  connection: Connection;
  keys: KeptKeys;
}

/**
 * Makes a `fetch` that pays what a 402 asks for, within the agent's policy. Its promise rejects with a TreasuryError as
 * the treasury refused it, with the reason of an aborted signal, and with a TypeError as that of `fetch`. It follows no
 * redirect, which would be another purchase: a redirect is an answer, or with `redirect: 'error'` a TypeError.
 */
export const createTreasuryFetch = (options: TreasuryFetchOptions = {}): TreasuryFetch => {
  const { maxAmount, folder = join(configFolder(), 'requests'), onWaiting } = options;
  const paying: Paying = {
    connection: connect(options),
    keys: createKeptKeys(folder),
    ...(onWaiting && { onWaiting }),
  };
  return async (input, init) => payFor(paying, await readAsked(input, init, maxAmount));
};

let usual: TreasuryFetch | undefined;

/** The same, as the agent of the environment or of the linked machine. */
export const treasuryFetch: TreasuryFetch = (input, init) => {
  usual ??= createTreasuryFetch();
  return usual(input, init);
};

const payFor = async (paying: Paying, asked: Asked): Promise<Response> => {
  const { agentId } = paying.connection.identify();
  const key = hasOwnKey(asked)
    ? null
    : paying.keys.take(digestOf(asked, agentId), asked.headers.get(maximum) ?? '');
  try {
    const response = await settled(paying, asked, key);
    if (asked.redirect === 'error') await refuseRedirect(response, key);
    return answerOf(response, asked.url, key);
  } catch (error) {
    if (key !== null) leave(key, error);
    throw error;
  }
};

/** The key of a paid one stays: a repetition does not pay again. @throws TypeError as `fetch` does */
const refuseRedirect = async (response: Response, key: KeptKey | null): Promise<void> => {
  const { status, headers } = response;
  const isRedirect = [301, 302, 303, 307, 308].includes(status);
  if (!isRedirect || !(headers.has('location') || headers.has('x-treasury-location'))) return;
  if (paymentOf(response) === null) key?.forget();
  await response.body?.cancel();
  throw new TypeError('unexpected redirect');
};

/** Repeats the request under its key until the payment is settled. */
const settled = async (paying: Paying, asked: Asked, key: KeptKey | null): Promise<Response> => {
  const { connection, onWaiting } = paying;
  const { method, body, signal } = asked;
  const used = (): void => {
    if (key !== null) key.mayBeUsed = true;
  };
  for (;;) {
    try {
      const answer = await connection.send({
        target: (_place, { agentId }) => throughProxy(agentId, asked.url),
        init: ({ apiKey }) => ({ method, headers: headersOf(asked, apiKey, key), body }),
        isRefusal: (response) => !isSellers(response),
        isRepeatable: true,
        lost: used,
        signal,
      });
      used();
      return answer;
    } catch (error) {
      if (!(error instanceof TreasuryError && isUnsettled(error))) throw error;
      used();
      onWaiting?.(error);
      const { retryAfterSeconds } = error.details;
      const pauseMs = typeof retryAfterSeconds === 'number' ? retryAfterSeconds * 1_000 : 1_000;
      await wait(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
};

const headersOf = ({ headers }: Asked, apiKey: string, key: KeptKey | null): Headers => {
  const sent = new Headers(headers);
  sent.set('x-treasury-key', apiKey);
  if (key === null) return sent;
  sent.set('x-treasury-idempotency-key', key.idempotencyKey);
  if (key.maxAmount !== '') sent.set(maximum, key.maxAmount);
  return sent;
};

/**
 * Of a new key, nothing is left where no request was sent, or it was refused before there was a payment. `internal` says
 * nothing.
 */
const leave = (key: KeptKey, error: unknown): void => {
  const refusal = error instanceof TreasuryError ? error : null;
  const isUnused = !key.mayBeUsed && refusal?.code !== 'internal' && (refusal?.paymentId ?? null) === null;
  const isEnded = refusal !== null && refusal.status !== null && endsKey(refusal);
  if (isEnded || isUnused) key.forget();
  else key.release();
};
