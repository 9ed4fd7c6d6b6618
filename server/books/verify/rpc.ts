// The reader's own Solana RPC.
import { NotVerifiable } from './fault.ts';

/** @throws NotVerifiable when the RPC does not answer */
export type AskRpc = (method: string, params: readonly unknown[]) => Promise<unknown>;

const tries = 4;
const firstPauseMs = 500;
const answersWithinMs = 30_000;

/** Tries again, with longer and longer pauses: public RPCs limit their callers. */
export const rpcAt = (url: string): AskRpc => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new NotVerifiable('--rpc: must be the address of a Solana RPC, as in https://rpc.example.com.');
  return async (method, params) => {
    for (let made = 1; ; made += 1) {
      try {
        return await ask(url, method, params);
      } catch (error) {
        if (error instanceof NotVerifiable) throw error;
        if (made === tries) throw unreachable(error);
        await new Promise((resolve) => setTimeout(resolve, firstPauseMs * 2 ** (made - 1)));
      }
    }
  };
};

/** @throws NotVerifiable for an answer that will not change; another Error for one that may */
const ask = async (url: string, method: string, params: readonly unknown[]): Promise<unknown> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(answersWithinMs),
  });
  if (!response.ok) throw new Error(`it answered ${response.status}`);
  const answer = (await response.json()) as { result?: unknown; error?: { message?: unknown } } | null;
  if (answer?.error !== undefined)
    throw new NotVerifiable(`The RPC refuses ${method}: ${plain(answer.error.message)}.`);
  if (answer?.result === undefined) throw new Error('it did not answer as a Solana RPC does');
  return answer.result;
};

const unreachable = (error: unknown): NotVerifiable => {
  const { message, cause } = error as Error;
  const why = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : message;
  return new NotVerifiable(
    `The RPC cannot be reached (${plain(why)}). Try again, or give another with --rpc.`,
  );
};

/** Text of a stranger, for a terminal. */
const plain = (text: unknown): string => JSON.stringify(String(text)).slice(1, 200).replace(/"$/, '');
