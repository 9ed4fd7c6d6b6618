// Agents' requests to language models in a life: they go through the real gateway, as its routes call it.
import { AppError } from '../../server/errors.ts';
import type { Judge } from './judge/judge.ts';
import type { Reference } from './judge/reference.ts';
import { keyOf } from './keys.ts';
import { asking, type ModelWish } from './suppliers.ts';
import type { World } from './world.ts';

export interface Asker {
  /** All at once. */
  askModels(wishes: readonly ModelWish[]): Promise<void>;
  /** Every second client that still waits or reads goes away. */
  hangUp(): void;
}

export const createAsker = (world: () => World, judge: Judge, { keys }: Reference): Asker => {
  const conversations = new Map<string, string[]>();
  const open = new Map<number, AbortController>();

  /** Of which the earlier messages may have been asked before. */
  const conversation = ({ agentId, model, bytes, continues }: ModelWish, n: number): object[] => {
    const name = `${agentId} ${model}`;
    const before = continues ? (conversations.get(name) ?? []) : [];
    const texts = [...before, `${n} `.padEnd(bytes, 'the words of a message ')];
    conversations.set(name, texts);
    return texts.map((content) => ({ role: 'user', content }));
  };

  const ask = async (wish: ModelWish): Promise<void> => {
    const { agentId, keyId, model, maxTokens, streams, hangsUpAt } = wish;
    const { suppliers, engine } = world();
    const mine = engine();
    const n = (judge.requests.counts.asked += 1);
    suppliers.wishes.set(n, wish);
    const gone = new AbortController();
    open.set(n, gone);
    const keyLevel = keys.get(keyId ?? '')?.level ?? 0;
    const messages = conversation(wish, n);
    let pieces = 0;
    const call = () =>
      mine.models.call({
        caller: { role: 'agent', agentId, keyId: keyId ?? keyOf(agentId), keyLevel },
        wire: 'openai-chat',
        body: Buffer.from(JSON.stringify({ model, messages, max_tokens: maxTokens, stream: streams })),
        headers: {},
        idempotencyKey: null,
        gone: gone.signal,
        reader: {
          keepAlive() {},
          begin() {},
          end: async () => true,
          async write() {
            pieces += 1;
            if (pieces === hangsUpAt) gone.abort();
            return pieces !== hangsUpAt;
          },
        },
      });
    try {
      await asking.run(n, call);
      judge.requests.onAnswered(n);
    } catch (error) {
      // What is left of a dead process finds its store closed.
      const isOurs = mine === engine() && !world().isDown();
      if (isOurs && !gone.signal.aborted && !(error instanceof AppError))
        judge.find(`1: request ${n} was answered ${String(error)}`);
    } finally {
      open.delete(n);
    }
  };

  return {
    async askModels(wishes) {
      for (const wish of wishes) void ask(wish);
      await world().settle();
    },
    hangUp() {
      for (const [at, gone] of [...open.values()].entries()) if (at % 2 === 0) gone.abort();
    },
  };
};
