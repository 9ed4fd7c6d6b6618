// The messages of host and server pass on byte for byte, in both directions, and are read only to look. A response that
// demands payment is kept back, and bought. Written anew are a request that pays, and one that says that it could.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { endedText, errorTo } from './answers.ts';
import { createCalls, type Calls } from './calls.ts';
import { demandIn, isPayable } from './demand.ts';
import {
  answeredBy,
  cancelledBy,
  jsonAt,
  lookedAt,
  messageOf,
  requestIn,
  type Message,
  type Part,
  type Request,
} from './message.ts';
import type { Payment, Wanted } from './payments.ts';
import type { Peer } from './peer.ts';
import { metaOf, offeringToPay } from './repeated.ts';

export interface Ends {
  host: Peer;
  server: Peer;
  pay(wanted: Wanted): Payment;
  /** How long a call of the host waits for the owner and the chain. */
  patienceMs: number;
  /** The host is gone. */
  hostClosed(): void;
  /** The server says nothing more, although it may run. */
  serverClosed(): void;
}

export interface Pipe {
  /** Call it once the server has ended: every open request of the host gets an error. Resolves when the host has them. */
  serverEnded(how: string): Promise<void>;
  /** Resolves once the treasury knows which answers have reached the host. */
  settled(): Promise<void>;
}

/** A request of the host without a response yet. */
interface Open {
  request: Request;
  /** The purchase under way for this call, if any. */
  cancel?: () => void;
}

interface State {
  ends: Ends;
  calls: Calls;
  /** By the request's id. */
  open: Map<string, Open>;
  /** Requests of ours to the server, by their ids. */
  own: Map<string, (response: Part | null) => void>;
  /** How the server ended; null while it runs. */
  ended: string | null;
}

export const openPipe = async (ends: Ends): Promise<Pipe> => {
  const { host, server } = ends;
  const state: State = {
    ends,
    calls: callsOf(ends, () => state),
    open: new Map(),
    own: new Map(),
    ended: null,
  };
  await server.start(
    (message) => relay(message, [server, host], (part) => ofServer(state, part)),
    ends.serverClosed,
  );
  await host.start(
    (message) => relay(message, [host, server], (part) => ofHost(state, part)),
    ends.hostClosed,
  );
  return {
    async serverEnded(how) {
      state.ended = how;
      for (const [id, resolve] of state.own) {
        state.own.delete(id);
        resolve(null);
      }
      state.calls.end(endedText(how));
      for (const { request, cancel } of state.open.values())
        if (cancel === undefined) answer(state, request, errorTo(request.id, endedText(how))).catch(() => {});
      // Purchases that the server was shown a payment for have their outcome by the next turn.
      await nextTurn();
      await state.calls.settled();
      await host.flushed();
    },
    settled: () => state.calls.settled(),
  };
};

const callsOf = ({ host, pay, patienceMs }: Ends, state: () => State): Calls =>
  createCalls({
    pay,
    patienceMs,
    server: {
      ask: (id, request) => askServer(state(), id, request),
      how: () => state().ended ?? 'has ended',
    },
    host: {
      async answer(request, response) {
        await answer(state(), request, response);
        await host.flushed();
      },
      progress(request, message, step) {
        const { progressToken } = metaOf(request.params);
        if (progressToken === undefined) return;
        const token = jsonAt(request.text, ['params', '_meta', 'progressToken'], progressToken);
        // Small enough to stay below the server's own progress, which may follow.
        const rest = JSON.stringify({ progress: step / 1_000_000, message }).slice(1);
        const text = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},${rest}}`;
        host.send(messageOf(text)).catch(() => {});
      },
    },
  });

const answer = (state: State, { id }: Request, response: string): Promise<void> => {
  state.open.delete(id);
  return state.ends.host.send(messageOf(response));
};

const askServer = (state: State, id: string, request: string): Promise<Part | null> =>
  new Promise((resolve) => {
    if (state.ended !== null) return resolve(null);
    state.own.set(id, resolve);
    state.ends.server.send(messageOf(request)).catch(() => {
      if (state.own.delete(id)) resolve(null);
    });
  });

/** Returns what the host gets of it; null: nothing. */
const ofServer = (state: State, part: Part): string | null => {
  const { text, said } = part;
  const id = answeredBy(part);
  if (id === null) return text;
  const ours = state.own.get(id);
  if (ours !== undefined) {
    state.own.delete(id);
    ours(part);
    return null;
  }
  const known = state.open.get(id);
  const demand = known === undefined || known.cancel !== undefined ? null : demandIn(known.request, said);
  if (known === undefined || demand === null) {
    state.open.delete(id);
    return text;
  }
  known.cancel = state.calls.buy(known.request, demand);
  return null;
};

/** Returns what the server gets of it; null: nothing. */
const ofHost = (state: State, part: Part): string | null => {
  const request = requestIn(part);
  if (request !== null) return askedByHost(state, request);
  const cancelled = cancelledBy(part);
  if (cancelled === null) return part.text;
  const cancel = state.open.get(cancelled)?.cancel;
  state.open.delete(cancelled);
  if (cancel === undefined) return part.text;
  // The payment goes on, and so does what it buys: the next equal call gets it.
  cancel();
  return null;
};

const askedByHost = (state: State, request: Request): string | null => {
  if (state.ended !== null) {
    answer(state, request, errorTo(request.id, endedText(state.ended))).catch(() => {});
    return null;
  }
  const open: Open = { request };
  state.open.set(request.id, open);
  const followed = isPayable(request) ? state.calls.follow(request) : null;
  if (followed === null) return offeringToPay(request);
  open.cancel = followed;
  return null;
};

/** Passes a message on, or what `look` leaves of it. */
const relay = (message: Message, [from, to]: [Peer, Peer], look: (part: Part) => string | null): void => {
  const left = lookedAt(message, look);
  if (left !== null) pass(from, to, left);
};

/** Until a message has left, no more is read from where it came. */
const pass = (from: Peer, to: Peer, message: Message): void => {
  let isPaused = false;
  const late = setImmediate(() => {
    isPaused = true;
    from.pause();
  });
  const left = (): void => {
    clearImmediate(late);
    if (isPaused) from.resume();
  };
  to.send(message).then(left, left);
};
