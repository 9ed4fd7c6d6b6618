// The supplier of language models of a world, with the world's clock and no socket: it answers each request as its wish says,
// and keeps the truth of what it did and bills.
import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../../server/errors.ts';
import type { AskSupplier, SupplierAnswer, SupplierRequest } from '../../server/engine/ports.ts';
import { turn } from './sim-time.ts';
import type { Listener, Process } from './wire.ts';

/** What the supplier does with a request; `late`: half of it comes now, and the rest once time has passed. */
export const supplierManners = [
  'answers',
  'late',
  'refuses',
  'gateway fails',
  'cuts',
  'gives no answer',
  'cannot be reached',
  'errs inside',
  'tells no usage',
  'tells a usage of zero',
] as const;

export interface ModelWish {
  agentId: string;
  /** A delegated key; null for the agent's own. */
  keyId: string | null;
  /** `deep` bills output that it does not show. */
  model: 'gpt-4-open' | 'deep';
  /** The bytes of its last message. */
  bytes: number;
  /** Repeats the conversation before it. */
  continues: boolean;
  maxTokens: number;
  streams: boolean;
  /** Of the most output, and of the input, in percent. */
  output: number;
  cached: number;
  manner: (typeof supplierManners)[number];
  /** The piece at which its client hangs up. */
  hangsUpAt: number | null;
}

/** What was done for a request that left, and so what the supplier bills. */
export interface Truth {
  left: number;
  /** Whether a model ran. */
  ran: boolean;
  input: number;
  cached: number;
  /** All that it may generate, until it is known where it ended. */
  output: number;
  /** Whether it told its usage at the end of a whole answer. */
  told: boolean;
}

export interface Suppliers {
  /** By the number of the request. */
  wishes: Map<number, ModelWish>;
  truths: Map<number, Truth>;
  /** What was late comes now. */
  goOn(): void;
  /** The way to it for one process of the treasury. */
  ask(mine: Process): AskSupplier;
}

/** The number of the request that the present work is for. */
export const asking = new AsyncLocalStorage<number>();

const underWay = 1_000;
const pieces = 3;
const piece = async function* (text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
};
const event = (value: object): Uint8Array =>
  Buffer.from(`data: ${JSON.stringify({ id: 'c', ...value })}\n\n`);
const lost = (sent: boolean): AppError => new AppError('not_available', 'The supplier is lost.', { sent });

/** As a tokenizer counts: fewer than bytes, and the same for the same message. */
const tokensIn = (body = '{"messages":[]}'): number =>
  (JSON.parse(body) as { messages: { content: string }[] }).messages.reduce(
    (sum, { content }) => sum + Math.ceil(content.length / 3) + 4,
    0,
  );
const generated = ({ maxTokens, output }: ModelWish): number =>
  Math.max(1, Math.floor((maxTokens * output) / 100));

const usageOf = ({ manner }: ModelWish, { input, cached, output }: Truth): object => {
  if (manner === 'tells no usage') return {};
  if (manner === 'tells a usage of zero') return { usage: { prompt_tokens: 0, completion_tokens: 0 } };
  const details = { prompt_tokens_details: { cached_tokens: cached } };
  return { usage: { prompt_tokens: input, completion_tokens: output, ...details } };
};

export const createSuppliers = (listener: Listener): Suppliers => {
  const truths: Suppliers['truths'] = new Map();
  const wishes: Suppliers['wishes'] = new Map();
  const late: (() => void)[] = [];

  const untilTimePasses = async (signal: AbortSignal, mine: Process): Promise<void> => {
    mine.inFlight -= 1;
    await new Promise<void>((resolve) => {
      // A listener that stays keeps its signal, and so the whole life, in memory.
      const go = (): void => {
        signal.removeEventListener('abort', go);
        resolve();
      };
      late.push(go);
      signal.addEventListener('abort', go);
    });
    mine.inFlight += 1;
  };

  const answerTo = async function* (
    { signal }: SupplierRequest,
    wish: ModelWish,
    truth: Truth,
    mine: Process,
  ): AsyncGenerator<Uint8Array> {
    const { streams, manner, model } = wish;
    const all = generated(wish);
    const shown = (tokens: number): string => 'x'.repeat(model === 'deep' ? tokens >> 2 : tokens);
    let passed = 0;
    mine.inFlight += 1;
    try {
      for (let at = 1; at <= pieces; at += 1) {
        listener.onMoment('a model streams');
        if (!mine.alive) await new Promise(() => {});
        if (at === 2 && manner === 'late') await untilTimePasses(signal, mine);
        else await turn();
        signal.throwIfAborted();
        if (at === 2 && manner === 'cuts') throw lost(true);
        if (at === 2 && manner === 'errs inside') return yield event({ error: { message: 'overloaded' } });
        const tokens = Math.floor((all * at) / pieces) - passed;
        passed += tokens;
        if (streams) yield event({ choices: [{ delta: { content: shown(tokens) } }] });
      }
      truth.told = !manner.startsWith('tells');
      const usage = usageOf(wish, truth);
      if (streams) yield* [event({ choices: [], ...usage }), Buffer.from('data: [DONE]\n\n')];
      else
        yield Buffer.from(
          JSON.stringify({ id: 'c', choices: [{ message: { content: shown(all) } }], ...usage }),
        );
    } finally {
      mine.inFlight -= 1;
      // It goes on for a moment after nobody reads; a whole answer is made to its end.
      if (streams && !truth.told) truth.output = Math.min(all, passed + underWay);
    }
  };

  const ask = async (asked: SupplierRequest, mine: Process): Promise<SupplierAnswer> => {
    const gone = new Promise<never>(() => {});
    const n = asking.getStore() ?? -1;
    const wish = wishes.get(n);
    if (!mine.alive || wish === undefined) return gone;
    const { manner, streams, cached } = wish;
    listener.onMoment('a model is asked');
    // A kept connection is there at once.
    if (n % 2 === 0) await turn();
    if (!mine.alive) return gone;
    asked.signal.throwIfAborted();
    if (manner === 'cannot be reached') throw lost(false);
    asked.beforeSending?.();
    const input = tokensIn(asked.body);
    const truth: Truth = {
      left: (truths.get(n)?.left ?? 0) + 1,
      ran: manner !== 'refuses',
      input,
      cached: Math.floor((input * cached) / 100),
      output: generated(wish),
      told: false,
    };
    truths.set(n, truth);
    listener.onRequestSent(n);
    listener.note('a model', n, asked.body);
    listener.onMoment('a model was asked');
    await turn();
    if (!mine.alive) return gone;
    if (manner === 'gives no answer') throw lost(true);
    listener.onMoment('a model answers');
    if (!mine.alive) return gone;
    const headers = { 'content-type': streams ? 'text/event-stream' : 'application/json' };
    if (manner === 'refuses')
      return { status: 429, headers, body: piece('{"error":{"message":"slow down"}}') };
    if (manner === 'gateway fails') return { status: 503, headers, body: piece('No server is free') };
    return { status: 200, headers, body: answerTo(asked, wish, truth, mine) };
  };

  return {
    truths,
    wishes,
    goOn() {
      for (const resolve of late.splice(0)) resolve();
    },
    ask: (mine) => async (asked) => {
      mine.inFlight += 1;
      try {
        return await ask(asked, mine);
      } finally {
        mine.inFlight -= 1;
      }
    },
  };
};
