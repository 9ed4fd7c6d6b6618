// Messages that an MCP server sends over HTTP as a stream of events, which may end before the answer and be resumed.
import { setTimeout as wait } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';

interface Resuming {
  /** Opens the stream after the event of this id. Null: the server refuses */
  reopen(lastEventId: string | undefined): Promise<Response | null>;
  /** Whether more of it is wanted. @param isResumable the server has given its events ids */
  isWanted(isResumable: boolean): boolean;
  signal: AbortSignal;
}

const firstWaitMs = 1_000;
const mostFailures = 2;

/** Resolves at the end of the stream and of all that went on with it. @param hear gets the data of each event */
export const readEvents = async (
  first: Response,
  hear: (data: string) => void,
  { reopen, isWanted, signal }: Resuming,
): Promise<void> => {
  let [lastId, waitMs]: [string | undefined, number] = [undefined, firstWaitMs];
  let response: Response | null = first;
  for (let failures = 0; failures <= mostFailures; failures = response === null ? failures + 1 : 0) {
    try {
      for await (const { id, event = 'message', data } of eventsOf(response, (ms) => (waitMs = ms))) {
        lastId = id ?? lastId;
        if (event === 'message' && data !== '') hear(data);
      }
    } catch {
      // It broke off, which is an end too.
    }
    if (signal.aborted || !isWanted(lastId !== undefined)) return;
    await wait(waitMs, undefined, { signal, ref: false });
    response = await reopen(lastId).catch(() => null);
  }
};

const eventsOf = (response: Response | null, onRetry: (waitMs: number) => void) =>
  response?.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ onRetry })) ?? [];
