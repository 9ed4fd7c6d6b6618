// Everything that the host and the server say passes through unchanged, in both directions. Only a response that demands
// payment is kept back, and bought.
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResponse,
} from '@modelcontextprotocol/server';
import { endedText, errorTo } from './answers.ts';
import { createCalls, type Calls } from './calls.ts';
import { demandIn, isPayable } from './demand.ts';
import type { Payment, Wanted } from './payments.ts';
import type { Peer } from './peer.ts';
import { offeringToPay } from './repeated.ts';

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
  request: JSONRPCRequest;
  /** Set while it is bought. */
  cancel?: () => void;
}

interface State {
  ends: Ends;
  calls: Calls;
  /** By the request's id as JSON, since 1 and "1" are different ids. */
  open: Map<string, Open>;
  /** Requests of ours to the server, by their ids. */
  own: Map<string, (response: JSONRPCResponse | null) => void>;
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
  await server.start((message) => hearServer(state, message), ends.serverClosed);
  await host.start((message) => hearHost(state, message), ends.hostClosed);
  return {
    async serverEnded(how) {
      state.ended = how;
      for (const [id, resolve] of state.own) {
        state.own.delete(id);
        resolve(null);
      }
      state.calls.end(endedText(how));
      for (const { request, cancel } of state.open.values())
        if (cancel === undefined) answer(state, errorTo(request.id, endedText(how))).catch(() => {});
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
    server: { ask: (request) => askServer(state(), request), how: () => state().ended ?? 'has ended' },
    host: {
      async answer(response) {
        await answer(state(), response);
        await host.flushed();
      },
      progress(request, message, step) {
        const progressToken = request.params?._meta?.progressToken;
        if (progressToken === undefined) return;
        // Small enough to stay below the server's own progress, which may follow.
        const params = { progressToken, progress: step / 1_000_000, message };
        host.send({ jsonrpc: '2.0', method: 'notifications/progress', params }).catch(() => {});
      },
    },
  });

const keyOf = (id: unknown): string => JSON.stringify(id);

const answer = (state: State, response: JSONRPCResponse): Promise<void> => {
  state.open.delete(keyOf(response.id));
  return state.ends.host.send(response);
};

const askServer = (state: State, request: JSONRPCRequest): Promise<JSONRPCResponse | null> =>
  new Promise((resolve) => {
    if (state.ended !== null) return resolve(null);
    state.own.set(String(request.id), resolve);
    state.ends.server.send(request).catch(() => {
      if (state.own.delete(String(request.id))) resolve(null);
    });
  });

const hearServer = (state: State, message: JSONRPCMessage): void => {
  if (!isJSONRPCResponse(message)) return pass(state.ends.server, state.ends.host, message);
  const ours = state.own.get(String(message.id));
  if (ours !== undefined) {
    state.own.delete(String(message.id));
    return ours(message);
  }
  const key = keyOf(message.id);
  const known = state.open.get(key);
  const demand =
    known === undefined || known.cancel !== undefined ? null : demandIn(known.request.method, message);
  if (known === undefined || demand === null) {
    state.open.delete(key);
    return pass(state.ends.server, state.ends.host, message);
  }
  known.cancel = state.calls.buy(known.request, demand);
};

const hearHost = (state: State, message: JSONRPCMessage): void => {
  const { server, host } = state.ends;
  if (isJSONRPCRequest(message)) return askedByHost(state, message);
  if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
    const key = keyOf(message.params?.['requestId']);
    const cancel = state.open.get(key)?.cancel;
    state.open.delete(key);
    // The payment goes on, and so does what it buys: the next equal call gets it.
    if (cancel !== undefined) return cancel();
  }
  pass(host, server, message);
};

const askedByHost = (state: State, request: JSONRPCRequest): void => {
  const { server, host } = state.ends;
  if (state.ended !== null) {
    host.send(errorTo(request.id, endedText(state.ended))).catch(() => {});
    return;
  }
  const open: Open = { request };
  state.open.set(keyOf(request.id), open);
  const followed = isPayable(request.method) ? state.calls.follow(request) : null;
  if (followed === null) return pass(host, server, offeringToPay(request));
  open.cancel = followed;
};

/** Until a message has left, no more is read from where it came. */
const pass = (from: Peer, to: Peer, message: JSONRPCMessage): void => {
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
