// JSON-RPC to one Solana node. Each call has a deadline, and each answer a size limit and a form.
import { z } from 'zod';
import type { RpcState } from '../../engine/ports.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { mostBytesOf } from './answers.ts';
import { createBusyGate } from './busy-gate.ts';
import { Busy, NoAnswer, overHttp, type Connect } from './http-connection.ts';
import { watchOutages } from './outages.ts';

/** The node answered, and its answer was an error, such as a method that it does not have. */
export class RpcError extends AppError {
  /** The node's own. */
  readonly rpcCode: number;

  constructor(method: string, { code, message, data }: { code: number; message: string; data?: unknown }) {
    const cause = new Error(message, { cause: data });
    const said = `The Solana RPC refused ${method} (error ${code}). Try again, or use another RPC.`;
    super('chain_unreachable', said, { method, rpcCode: code }, { cause });
    this.rpcCode = code;
  }
}

export type Question<T> = [method: string, params: readonly unknown[], result: z.ZodType<T>];

export interface Rpc {
  /**
   * Ends within 10 seconds, from the request to the last byte of the answer and with all pauses. A node that refuses for
   * too many requests is asked again after a pause, except to send a transaction.
   * @throws AppError `chain_unreachable`: an RpcError for the node's own errors, and when there is no answer, or one that
   * is not of the method's form
   */
  call<T>(...question: Question<T>): Promise<T>;
  /** One node of several, for questions of which each needs the answer before it, such as the pages of a list. */
  pinned?(): Rpc;
  close(): void;
}

/** One node. */
export interface NodeRpc extends Rpc {
  /** Like `call`, but does not wait for a node that refuses for too many requests. */
  callOnce<T>(...question: Question<T>): Promise<T>;
  /** What the calls have shown so far. */
  state(): Omit<RpcState, 'role'>;
  /** Whether the node takes no requests now. */
  isBusy(): boolean;
}

/** Whether its last call got no answer. */
export const isDown = (rpc: NodeRpc): boolean => rpc.state().downSince !== null;

interface RpcOptions {
  log?: Log;
  /** Over HTTP, unless a test brings its own. */
  connect?: Connect | undefined;
  /** Of a whole call. */
  withinMs?: number;
}

/** How long a call waits for a busy node: a person may be waiting for its answer. */
const patienceMs = 5_000;

/** Some gateways name an error in each answer: null is none. */
const answered = z.object({ id: z.unknown(), result: z.unknown().optional(), error: z.unknown().optional() });
const refusal = z.object({ code: z.number(), message: z.string().catch(''), data: z.unknown().optional() });
type Answered = z.infer<typeof answered>;

/** Connects at the first call. */
export const createRpc = (
  url: string,
  { log, connect = overHttp, withinMs = 10_000 }: RpcOptions = {},
): NodeRpc => {
  const { host } = new URL(url);
  const { post, close } = connect(url);
  const gate = createBusyGate();
  const outages = watchOutages(host, log ?? null);
  const deadlines = keepDeadlines(withinMs);
  let lastId = 0;

  /** @throws NoAnswer, Busy, what `post` throws, and for a text that is no answer */
  const ask = async (method: string, body: string, signal: AbortSignal): Promise<Answered> => {
    const answer = answered.parse(JSON.parse(await post(body, { mostBytes: mostBytesOf(method), signal })));
    if (refusal.safeParse(answer.error).data?.code === 429) throw new Busy(null);
    return answer;
  };

  const call = async <T>([method, params, result]: Question<T>, patience: number): Promise<T> => {
    lastId += 1;
    const id = lastId;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const begun = performance.now();
    const answer = await deadlines
      .within((signal) =>
        gate.pass(() => ask(method, body, signal), { signal, waitsUntil: begun + patience }),
      )
      .catch((error: unknown) => {
        if (!deadlines.isClosed()) outages.failed(begun, whyOf(error));
        throw unreachable({ host, method }, error);
      });
    outages.answered();
    return resultIn(answer, id, { host, method, result });
  };

  return {
    // The caller sends a transaction again: only the caller knows whether it is still wanted.
    call: (...question) => call(question, question[0] === 'sendTransaction' ? 0 : patienceMs),
    callOnce: (...question) => call(question, 0),
    state: () => ({ host, ...outages.state() }),
    isBusy: gate.isClosed,
    close() {
      deadlines.close();
      close();
    },
  };
};

const keepDeadlines = (withinMs: number) => {
  const open = new Set<AbortController>();
  let isClosed = false;
  return {
    async within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const controller = new AbortController();
      const late = (): NoAnswer => new NoAnswer(`it did not answer within ${withinMs / 1_000} seconds`);
      const timer = setTimeout(() => controller.abort(late()), withinMs).unref();
      open.add(controller);
      try {
        return await work(controller.signal);
      } finally {
        clearTimeout(timer);
        open.delete(controller);
      }
    },
    isClosed: () => isClosed,
    close(): void {
      isClosed = true;
      for (const controller of open) controller.abort(new NoAnswer('the treasury is closing'));
    },
  };
};

const resultIn = <T>(
  answer: Answered,
  id: number,
  { host, method, result }: { host: string; method: string; result: z.ZodType<T> },
): T => {
  if (answer.error != null) {
    const refused = refusal.safeParse(answer.error);
    if (refused.success) throw new RpcError(method, refused.data);
    throw unreachable({ host, method }, illFormed(refused.error));
  }
  if (answer.id !== id) throw unreachable({ host, method }, new NoAnswer('it answered another question'));
  const parsed = result.safeParse(answer.result);
  if (!parsed.success) throw unreachable({ host, method }, illFormed(parsed.error));
  return parsed.data;
};

const whyOfCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection broke off',
  EPIPE: 'the connection broke off',
  ENOTFOUND: 'no address is known for its name',
  EAI_AGAIN: 'no address is known for its name now',
  ENETUNREACH: 'the network is not reachable',
  EHOSTUNREACH: 'the network is not reachable',
  ETIMEDOUT: 'it did not answer in time',
};

/** The cause of a failed call, as the end of a sentence. It never names the URL. */
const whyOf = (error: unknown): string => {
  if (error instanceof NoAnswer) return error.message;
  if (error instanceof SyntaxError || error instanceof z.ZodError)
    return 'what it answers is no JSON-RPC, perhaps a page of the network that you are in';
  const code = String((error as { code?: unknown } | null)?.code);
  if (/CERT|SSL|TLS/.test(code)) return `its certificate is not accepted (${code})`;
  return whyOfCode[code] ?? 'the connection failed';
};

/** Names the first fault alone: a long list of nonsense has as many faults as entries. */
const illFormed = ({ issues: [first] }: z.ZodError): NoAnswer => {
  const place = first?.path.map(String).join('.').slice(0, 80);
  return new NoAnswer(
    `its answer does not have the form of the method (${place ?? ''}: ${first?.message ?? ''})`,
  );
};

const remedyOf = (why: string): string => {
  if (/status 40[13]$/.test(why)) return 'Check the key in the URL of the RPC.';
  if (why.endsWith('status 429')) return 'Try again later, or use an RPC or a plan that takes more requests.';
  return 'Check the network and the RPC, or use another RPC.';
};

const unreachable = ({ host, method }: { host: string; method: string }, cause: unknown): AppError => {
  const why = whyOf(cause);
  return new AppError(
    'chain_unreachable',
    `The Solana RPC ${host} gave no usable answer to ${method}: ${why}. ${remedyOf(why)}`,
    { method },
    { cause },
  );
};
