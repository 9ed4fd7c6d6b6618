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

export const createAsker = (world: () => World, judge: Judge, reference: Reference): Asker => {
  const conversations = new Map<string, string[]>();
  const open = new Map<number, AbortController>();
  let last = 0;

  /** The messages of a conversation of this agent, of which the earlier ones may have been asked before. */
  const messagesOf = ({ agentId, model, bytes, continues }: ModelWish, n: number): object[] => {
    const name = `${agentId} ${model}`;
    const before = continues ? (conversations.get(name) ?? []) : [];
    const texts = [...before, `${n} `.padEnd(bytes, 'the words of a message ')];
    conversations.set(name, texts);
    return texts.map((content) => ({ role: 'user', content }));
  };

  const ask = (wish: ModelWish): void => {
    const { agentId, keyId, model, maxTokens, streams, hangsUpAt } = wish;
    last += 1;
    const n = last;
    const { suppliers, engine } = world();
    suppliers.wishes.set(n, wish);
    judge.requests.counts.asked += 1;
    const gone = new AbortController();
    open.set(n, gone);
    let pieces = 0;
    const caller = {
      role: 'agent',
      agentId,
      keyId: keyId ?? keyOf(agentId),
      keyLevel: keyId === null ? 0 : (reference.keys.get(keyId)?.level ?? 0),
    } as const;
    const body = { model, messages: messagesOf(wish, n), max_tokens: maxTokens, stream: streams };
    const called = asking.run(n, () =>
      engine().models.call({
        caller,
        wire: 'openai-chat',
        body: Buffer.from(JSON.stringify(body)),
        headers: {},
        gone: gone.signal,
        reader: {
          begin() {},
          async write() {
            pieces += 1;
            if (pieces === hangsUpAt) gone.abort();
            return pieces !== hangsUpAt;
          },
        },
      }),
    );
    called
      .then(
        () => judge.requests.onAnswered(n),
        (error: unknown) => {
          if (!gone.signal.aborted && !(error instanceof AppError))
            judge.find(`1: request ${n} was answered ${String(error)}`);
        },
      )
      .finally(() => void open.delete(n));
  };

  return {
    async askModels(wishes) {
      for (const wish of wishes) ask(wish);
      await world().settle();
    },
    hangUp() {
      for (const [at, gone] of [...open.values()].entries()) if (at % 2 === 0) gone.abort();
    },
  };
};
