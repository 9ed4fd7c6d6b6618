// The page's one API, over either transport.
import type { Ask, OwnerApi, OwnerRoute } from '../../server/contract/owner-api.ts';
import type { Reply } from '../../server/contract/schemas.ts';
import { Unreachable } from './unreachable.ts';

let current: OwnerApi | null = null;

export const setApi = (api: OwnerApi | null): void => {
  current = api;
};

/** @throws AppError as the treasury refused it; Unreachable when there is no connection */
export const ask = async <N extends OwnerRoute>(route: N, input?: Ask<N>): Promise<Reply<N>> => {
  if (current === null) throw new Unreachable();
  return current.ask(route, input);
};

/** An idempotency key, under which a transfer is made once, however often it is sent. */
export const newKey = (): string => crypto.randomUUID();
