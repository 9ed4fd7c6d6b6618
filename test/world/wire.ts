// The requests of a treasury's process to the nodes, and the moments at which an event can be injected.
import { RpcRefusal, sentTx, type Node, type Request } from './nodes.ts';
import { turn } from './sim-time.ts';
import type { Landed, Tx } from './true-chain.ts';
import type { ModelRequest } from '../../server/engine/ports.ts';

/** Moments in the middle of a step at which an event can be injected. */
export const moments = [
  'lifetime asked',
  'signed',
  'send begins',
  'send answered',
  'status asked',
  'block time asked',
  'a seller asked',
  'a seller answered',
  'anything asked',
  'anything answered',
] as const;
/** Those of a request to a model, from its row to its end. */
export const modelMoments = [
  'a request is held',
  'a model is asked',
  'a model was asked',
  'a model answers',
  'a model streams',
  'a request ends',
] as const;
export type Moment = (typeof moments | typeof modelMoments)[number];

/** A process of the treasury: from a start to a stop or a crash. */
export interface Process {
  alive: boolean;
  /** Requests without an answer so far. */
  inFlight: number;
}

export interface Listener {
  /** Called in the turn in which bytes leave for a node. */
  onWire(tx: Tx): void;
  onSigning(id: string, message: Uint8Array): void;
  onLanded(tx: Landed): void;
  onMoment(moment: Moment): void;
  /** A reservation was given back: what is decided from now on may use it. */
  onReleased(): void;
  /** A stop from a phone is committed. */
  onPhoneStop(): void;
  /** The treasury has stopped an agent, or null for everything: a wallet holds less than the records explain. */
  onShortfall(agentId: string | null): void;
  /** A request to a model was decided on or has ended, in this transaction. @param n its number, where it is known */
  onRequestRow(row: ModelRequest, n: number | undefined): void;
  /** Called in the turn in which a request leaves for its supplier. */
  onRequestSent(n: number): void;
  /** The process has died. */
  onDeath(): void;
  /** Called for everything that comes and goes, for the trace. */
  note(...what: readonly unknown[]): void;
}

const momentOf: Readonly<Record<string, [Moment, Moment]>> = {
  getLatestBlockhash: ['lifetime asked', 'anything answered'],
  sendTransaction: ['send begins', 'send answered'],
  getSignatureStatuses: ['status asked', 'anything answered'],
  getBlockTime: ['block time asked', 'anything answered'],
};

export const connect =
  (nodes: readonly [Node, Node], listener: Listener, mine: Process) => (url: string) => ({
    close() {},
    async post(body: string): Promise<string> {
      const request = JSON.parse(body) as Request;
      const node = url === 'http://second' ? nodes[1] : nodes[0];
      const [asked, answered] = momentOf[request.method] ?? ['anything asked', 'anything answered'];
      const gone = new Promise<never>(() => {});
      if (!mine.alive) return gone;
      listener.note(url, request.method, request.params);
      listener.onMoment(asked);
      if (request.method === 'sendTransaction') {
        if (!mine.alive) return gone;
        // The bytes leave now, whatever their fate.
        listener.onWire(sentTx(request.params));
      }
      mine.inFlight += 1;
      let answer;
      try {
        await turn();
        if (!mine.alive) return await gone;
        answer = node.answer(request);
      } catch (error) {
        if (!(error instanceof RpcRefusal)) throw error;
        const { message } = error;
        return JSON.stringify({ jsonrpc: '2.0', id: request.id, error: { code: -32_016, message } });
      } finally {
        mine.inFlight -= 1;
      }
      listener.note(request.id, answer);
      listener.onMoment(answered);
      if (!mine.alive) return gone;
      if (answer === null) throw new Error('no answer');
      return JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer });
    },
  });
