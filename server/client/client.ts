// The /v1 client that the command and the bridge share: one call by route name.
import { routes, urlOf, type RouteName } from '../contract/routes.ts';
import type { Input, Reply } from '../contract/schemas.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { notRunning, type Endpoint } from './endpoint.ts';

export interface Client {
  /** @throws AppError as the treasury refused it, or `halted` when it does not answer */
  ask<N extends RouteName>(route: N, input?: Input<N> & { key?: string }): Promise<Reply<N>>;
}

const answersWithinMs = 65_000;

/** @param token an owner token or an agent key; null for the routes that need none */
export const createClient = (
  { url, owner }: Pick<Endpoint, 'url' | 'owner'>,
  token: string | null,
): Client => ({
  async ask<N extends RouteName>(route: N, input: Input<N> & { key?: string } = {}): Promise<Reply<N>> {
    const { method, path } = routes[route];
    const response = await fetch(new URL(urlOf(path, owner, input), url), {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(method === 'GET' ? {} : { 'Content-Type': 'application/json' }),
        ...(input.key === undefined ? {} : { 'Idempotency-Key': input.key }),
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(input.body ?? {}) }),
      signal: AbortSignal.timeout(answersWithinMs),
    }).catch(() => {
      throw notRunning();
    });
    const answer = (await response.json().catch(() => ({}))) as Partial<Refusal>;
    if (response.ok) return answer as Reply<N>;
    throw new AppError(
      answer.code ?? 'internal',
      answer.error ?? `The treasury answered ${response.status}.`,
      answer.details,
    );
  },
});

interface Refusal {
  error: string;
  code: ErrorCode;
  details: Record<string, unknown>;
}
