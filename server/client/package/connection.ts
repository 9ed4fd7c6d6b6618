// The way to the treasury on this machine. It is found again for each request, since a host that restarts may be on another
// port, and it proves itself before it gets the API key.
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import { readIdentity, type Identity } from '../identity.ts';
import { locate, type Place } from '../locate.ts';
import { createProver } from '../proof.ts';
import {
  answeredByAnother,
  codeOf,
  isFar,
  isTreasurysRefusal,
  mayBeTreasurys,
  notRunningHere,
  unreachedAt,
} from '../unreached.ts';
import type { TreasuryOptions } from './options.ts';
import { asTreasuryError, errorIn, TreasuryError } from './treasury-error.ts';

interface Sending {
  target(place: Place, identity: Identity): string;
  init(identity: Identity): RequestInit;
  /** Whether an answer is the treasury's refusal of the request. */
  isRefusal(response: Response): boolean;
  /** Two of it are one: it is repeated when no answer came. */
  isRepeatable: boolean;
  /** Called when no answer came, or `halted`: the treasury may have taken the request, and paid. */
  lost?(): void;
  signal?: AbortSignal | null;
}

export interface Connection {
  /** @throws TreasuryError as the treasury refused it, and `halted` when it does not answer; the signal's reason */
  send(sending: Sending): Promise<Response>;
  /** @throws TreasuryError `unauthorized` without an agent's key */
  identify(): Identity;
}

const proofWithinMs = 4_500;
/** A host that was never reached does not run; one that was reached may be restarting. */
const patienceMs = { unreached: 1_600, reached: 15_000 };
const [firstPauseMs, longestPauseMs] = [40, 640];

export const connect = (options: TreasuryOptions = {}): Connection => {
  const { url, owner, agentId, apiKey } = options;
  const prove = createProver(askHealth);
  const identify = (): Identity =>
    agentId !== undefined && apiKey !== undefined
      ? { agentId, apiKey }
      : readIdentity({
          ...process.env,
          ...defined({ TREASURY_AGENT_ID: agentId, TREASURY_API_KEY: apiKey }),
        });
  const find = ({ treasury }: Identity): Place => {
    const given = defined({ TREASURY_URL: url, TREASURY_OWNER: owner });
    // A named address wins over the data folder of the environment.
    return locate(url === undefined ? { ...process.env, ...given } : given, treasury);
  };

  const once = async (sending: Sending, reached: () => void): Promise<Response> => {
    const identity = identify();
    const place = find(identity);
    await prove(place.url, identity.apiKey);
    reached();
    // No redirect is followed: the API key must not leave.
    const init: RequestInit = {
      ...sending.init(identity),
      redirect: 'manual',
      signal: sending.signal ?? null,
    };
    const target = new URL(sending.target(place, identity), place.url);
    const response = await answered(target, init);
    if (sending.isRefusal(response)) throw await refusalIn(place.url, response);
    return response;
  };

  return {
    identify: () => explained(identify),
    async send(sending) {
      let isReached = false;
      let deadline: number | null = null;
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        try {
          return await once(sending, () => (isReached = true));
        } catch (error) {
          if (isReached && mayPass(error)) sending.lost?.();
          sending.signal?.throwIfAborted();
          if (!mayPass(error)) throw asTreasuryError(error);
          deadline ??= performance.now() + (isReached ? patienceMs.reached : patienceMs.unreached);
          if ((isReached && !sending.isRepeatable) || performance.now() > deadline)
            throw silent(isReached, error);
        }
        await wait(pauseMs, undefined, { ...(sending.signal && { signal: sending.signal }) }).catch(() =>
          sending.signal?.throwIfAborted(),
        );
      }
    },
  };
};

const explained = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw asTreasuryError(error);
  }
};

const defined = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );

/** The connection failed: it was refused, cut, or ended by the caller. */
class NotAnswered extends Error {}

/** @throws NotAnswered, also for the answer of a tunnel with no treasury behind it */
const answered = async (url: URL, init: RequestInit): Promise<Response> => {
  const response = await fetch(url, init).catch((error: unknown) => {
    throw new NotAnswered(unreachedAt(url.origin, codeOf(error)));
  });
  if (!isFar(url.origin) || isTreasurys(response)) return response;
  throw new NotAnswered(answeredByAnother(url.origin, response.status));
};

/** A NotAnswered for the JSON of a tunnel, which holds no code of ours. */
const refusalIn = async (url: string, response: Response): Promise<TreasuryError | NotAnswered> => {
  const answer: unknown = await response.json().catch(() => null);
  if (!isTreasurysRefusal(url, answer)) return new NotAnswered(answeredByAnother(url, response.status));
  return errorIn(response.status, answer);
};

/** @throws TreasuryError as the listener refused it; NotAnswered */
const askHealth = async (url: URL): Promise<unknown> => {
  const init: RequestInit = { redirect: 'error', signal: AbortSignal.timeout(proofWithinMs) };
  const response = await answered(url, init);
  if (!response.ok) throw await refusalIn(url.origin, response);
  // A program that answers something else proves nothing.
  return response.json().catch(() => null);
};

/** A seller's answer, which the treasury marks, or what may be its own word. */
const isTreasurys = ({ headers }: Response): boolean =>
  headers.has('x-treasury-from') || mayBeTreasurys(headers.get('content-type') ?? '');

/** The host may be starting or restarting. */
const mayPass = (error: unknown): boolean =>
  error instanceof NotAnswered ||
  ((error instanceof AppError || error instanceof TreasuryError) && error.code === 'halted');

const silent = (isReached: boolean, error: unknown): TreasuryError =>
  new TreasuryError(
    'halted',
    isReached
      ? 'The treasury did not answer. It may or may not have taken this request.'
      : error instanceof Error
        ? error.message
        : notRunningHere,
    isReached ? { lost: true } : {},
  );
