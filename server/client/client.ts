// The /v1 client of the command: one call, by route name.
import { routes, urlOf, type RouteName } from '../contract/routes.ts';
import type { Input, Reply } from '../contract/schemas.ts';
import { AppError, refusalOf } from '../errors.ts';
import { notRunning, type Endpoint } from './endpoint.ts';
import {
  answeredByAnother,
  codeOf,
  isFar,
  isTreasurysRefusal,
  unreachedAt,
  wasNeverSent,
} from './unreached.ts';

export interface Sent {
  /** The idempotency key. */
  key?: string;
  /** Resume the purchase of an equal request whose answer was never received, instead of making another. */
  continues?: boolean;
}

export interface Client {
  /** @throws AppError as the treasury refused it, or `halted` when it does not answer */
  ask<N extends RouteName>(route: N, input?: Input<N> & Sent): Promise<Reply<N>>;
  /** The whole reply of a route that does not answer in JSON; without a timeout. @throws AppError as `ask` does */
  read<N extends RouteName>(route: N, input?: Input<N>): Promise<Uint8Array>;
}

type Place = Pick<Endpoint, 'url' | 'owner' | 'known'>;

/** Enough for every reply except a backup of very large records. */
export const answersWithinMs = 65_000;

/** @param token an owner token or an API key; null for the routes that need none */
export const createClient = (endpoint: Place, token: string | null): Client => ({
  async ask<N extends RouteName>(route: N, input: Input<N> & Sent = {}): Promise<Reply<N>> {
    const signal = AbortSignal.timeout(answersWithinMs);
    const response = await send(endpoint, token, route, { ...input, signal });
    return (await response.json().catch(() => {
      throw answerLost();
    })) as Reply<N>;
  },
  async read(route, input) {
    const response = await send(endpoint, token, route, input);
    return new Uint8Array(await response.arrayBuffer());
  },
});

interface Sending extends Sent {
  /** Ends the wait for the reply. */
  signal?: AbortSignal;
}

/** The reply as a stream, for one too long to be held; only `signal` limits its time. @throws AppError as `ask` does */
export const send = async <N extends RouteName>(
  { url, owner, known }: Place,
  token: string | null,
  route: N,
  input: Input<N> & Sending = {},
): Promise<Response> => {
  const { signal } = input;
  const { method, path } = routes[route];
  const bearer = token ?? known;
  const response = await fetch(new URL(urlOf(path, owner, input), url), {
    method,
    redirect: 'manual',
    headers: {
      ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
      ...(method === 'GET' ? {} : { 'Content-Type': 'application/json' }),
      ...(input.key === undefined ? {} : { 'Idempotency-Key': input.key }),
      ...(input.continues === true ? { Prefer: 'continue' } : {}),
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(input.body ?? {}) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    throw wasNeverSent(error) ? unreached(url, codeOf(error)) : answerLost();
  });
  if (response.ok) return response;
  const answer: unknown = await response.json().catch(() => null);
  if (!isTreasurysRefusal(url, answer))
    throw new AppError('halted', answeredByAnother(url, response.status), { lost: true });
  throw refusalOf(response.status, answer);
};

const unreached = (url: string, code: string): AppError =>
  isFar(url) ? new AppError('halted', unreachedAt(url, code)) : notRunning();

/** The request may have been carried out: a caller that moves money must retry under the same idempotency key. */
const answerLost = (): AppError =>
  new AppError('halted', 'The treasury received the request, but its answer was lost.', { lost: true });

export const isLost = (error: unknown): boolean =>
  error instanceof AppError && error.details?.['lost'] === true;
