// The agent's client of /v1. Before it sends the API key, it asks the listener to prove that it knows the key. A host
// that restarts, even on another port, is found again.
import { setTimeout as wait } from 'node:timers/promises';
import { type AgentEvent, agentEvents } from '../contract/agents/agent-events.schemas.ts';
import { routes, urlOf, type RouteName } from '../contract/routes.ts';
import type { Accepted, Input, Reply } from '../contract/schemas.ts';
import { AppError } from '../errors.ts';
import type { Identity } from './identity.ts';
import { locate, type Place } from './locate.ts';
import { treasuryRequest, treasuryStream, Unanswered, type TreasuryAnswer } from './treasury-request.ts';
import { createProver } from './proof.ts';

export interface Sending {
  /** The idempotency key of a request that moves money: with one, the request is retried until it is answered. */
  key?: string;
  /** How long the treasury may hold the reply; 0: not at all. Without it, the treasury’s own usual time. */
  waitSeconds?: number;
  /** How long, in addition, it may take to ask a seller. */
  sellerSeconds?: number;
  /**
   * Resume the purchase of an equal request whose answer was never received; from 1, which of the equal calls this is.
   */
  continues?: number;
  /** The request is idempotent. Default: with GET, and with a key. */
  repeatable?: boolean;
  signal?: AbortSignal;
}

type Done<N extends RouteName> = { status: 200; body: Reply<N> };
/** A route without a 202 has one shape of answer. */
export type Answer<N extends RouteName> =
  unknown extends Accepted<N> ? Done<N> : Done<N> | { status: 202; body: Accepted<N> };

export interface AgentClient {
  /** @throws AppError as the treasury refused it; `halted` within two seconds when it is not running */
  ask<N extends RouteName>(route: N, input?: Input<N>, sending?: Sending): Promise<Answer<N>>;
  /**
   * Hears the agent's events until the treasury ends them or `signal` is aborted; null once they are connected.
   * @throws AppError as the treasury refused it; Unanswered
   */
  listen(hear: (event: AgentEvent | null) => void, signal: AbortSignal): Promise<void>;
  /** The treasury's present address. @throws AppError as `locate` does */
  place(): Place;
}

interface AgentClientDeps {
  env: NodeJS.ProcessEnv;
  /** Called for each request, since this machine may be linked in the meantime. @throws AppError `unauthorized` */
  identify(): Identity;
  /** Timeout for the treasury's own work, without all waiting. */
  answersWithinMs?: number;
}

const givesUpAfterMs = 1_600;
const proofWithinMs = 4_500;

export const createAgentClient = (deps: AgentClientDeps): AgentClient => {
  const { env, identify, answersWithinMs = 10_000 } = deps;
  const prove = createProver(askHealth);

  const once = async (method: string, path: PathOf, body: unknown, sending: Sending) => {
    const identity = identify();
    const place = locate(env, identity.treasury);
    // The proof, which may be repeated, detects a dead connection before a request that may not.
    await prove(place.url, identity.apiKey);
    const { key, waitSeconds, sellerSeconds = 0, continues = 0, signal } = sending;
    return treasuryRequest({
      method,
      url: new URL(path(place.owner ?? '', identity), place.url),
      headers: {
        Authorization: `Bearer ${identity.apiKey}`,
        ...(key === undefined ? {} : { 'Idempotency-Key': key }),
        ...preferring(waitSeconds, continues),
      },
      ...(method === 'GET' ? {} : { body: body ?? {} }),
      withinMs: answersWithinMs + ((waitSeconds ?? 0) + sellerSeconds) * 1_000,
      isHeld: (waitSeconds ?? 0) > 0,
      signal,
    });
  };

  const send = async (method: string, path: PathOf, body: unknown, sending: Sending = {}) => {
    let deadline: number | null = null;
    let wasSent = false;
    for (let pauseMs = 40; ; pauseMs = Math.min(pauseMs * 2, 320)) {
      const startedAt = performance.now();
      try {
        return await once(method, path, body, sending);
      } catch (error) {
        if (!mayPass(error) || sending.signal?.aborted === true) throw explained(error, wasSent);
        const isSentNow = error instanceof Unanswered && error.maybeDone;
        if (isSentNow && !isRepeatable(method, sending)) throw lost();
        wasSent ||= isSentNow;
        deadline ??= (isSentNow ? performance.now() : startedAt) + givesUpAfterMs;
        // A held reply that timed out has used its waiting time: no retry.
        const isHeldAndLate = isSentNow && error.isLate && (sending.waitSeconds ?? 0) > 0;
        if (isHeldAndLate || performance.now() + pauseMs > deadline) throw explained(error, wasSent);
        await wait(pauseMs);
      }
    }
  };

  return {
    async ask<N extends RouteName>(route: N, input: Input<N> = {}, sending: Sending = {}) {
      const { method, path } = routes[route];
      const filled: PathOf = (owner, { agentId }) =>
        urlOf(path, owner, { ...input, params: { agentId, ...(input.params as object | undefined) } });
      return asAnswer<N>(await send(method, filled, input.body, sending));
    },
    async listen(hear, signal) {
      const identity = identify();
      const place = locate(env, identity.treasury);
      await prove(place.url, identity.apiKey);
      await readEvents(place, identity, { hear, signal });
    },
    place: () => locate(env, identify().treasury),
  };
};

interface Hearing {
  hear: Parameters<AgentClient['listen']>[0];
  signal: AbortSignal;
}

const readEvents = async (
  { url, owner }: Place,
  { agentId, apiKey }: Identity,
  { hear, signal }: Hearing,
): Promise<void> => {
  const path = urlOf(routes.agentEvents.path, owner ?? '', { params: { agentId } });
  const headers = { Authorization: `Bearer ${apiKey}` };
  const read = createEventReader(hear);
  let isConnected = false;
  await treasuryStream({ url: new URL(path, url), headers, signal }, (piece) => {
    if (!isConnected) hear(null);
    isConnected = true;
    read(piece);
  });
};

/** @throws AppError as the listener refused it; Unanswered */
const askHealth = async (url: URL): Promise<unknown> => {
  try {
    return (await treasuryRequest({ method: 'GET', url, withinMs: proofWithinMs })).body;
  } catch (error) {
    // The call itself has not been sent yet.
    throw error instanceof Unanswered ? new Unanswered(error.message, false, error.isLate) : error;
  }
};

const preferring = (waitSeconds: number | undefined, continues: number): { Prefer?: string } => {
  const preferences = [
    ...(waitSeconds === undefined ? [] : [`wait=${waitSeconds}`]),
    ...(continues === 0 ? [] : [continues === 1 ? 'continue' : `continue=${continues}`]),
  ];
  return preferences.length === 0 ? {} : { Prefer: preferences.join(', ') };
};

type PathOf = (owner: string, identity: Identity) => string;

const asAnswer = <N extends RouteName>({ status, body }: TreasuryAnswer): Answer<N> =>
  ({ status: status === 202 ? 202 : 200, body }) as unknown as Answer<N>;

const isRepeatable = (method: string, { key, repeatable }: Sending): boolean =>
  repeatable ?? (method === 'GET' || key !== undefined);

/** The host may be starting or restarting. */
const mayPass = (error: unknown): boolean =>
  error instanceof Unanswered || (error instanceof AppError && error.code === 'halted');

const explained = (error: unknown, wasSent: boolean): unknown => {
  if (!(error instanceof Unanswered || (error instanceof AppError && error.code === 'halted'))) return error;
  const isLost = wasSent || (error instanceof Unanswered && error.maybeDone);
  return new AppError('halted', wordsOf(error), isLost ? { lost: true } : undefined);
};

const wordsOf = (error: Unanswered | AppError): string => {
  if (error instanceof AppError) return error.message;
  // If it read "not running", a caller would start a second one.
  return error.isLate ? 'The treasury is running and did not answer in time: it may be busy.' : error.message;
};

const lost = (): AppError =>
  new AppError(
    'halted',
    'The treasury stopped before it answered. It may or may not have taken this request.',
  );

// Server-sent events of the treasury, from text that comes in pieces.

/** Returns a function for the pieces. Comments, and events that this version does not know, are left out. */
const createEventReader = (tell: (event: AgentEvent) => void): ((piece: string) => void) => {
  let text = '';
  return (piece) => {
    const blocks = (text + piece).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventIn(block);
      if (event !== null) tell(event);
    }
  };
};

const eventIn = (block: string): AgentEvent | null => {
  const [, type = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
  const schema = Object.entries(agentEvents).find(([name]) => name === type)?.[1];
  const parsed = schema?.safeParse(JSON.parse(data));
  return parsed?.success === true ? ({ type, data: parsed.data } as AgentEvent) : null;
};
