// The owner's events over HTTP, along a proven line, as long as somebody looks at this tab.
import type { OwnerApi, OwnerEvent } from '../../server/contract/owner-api.ts';
import { SessionOver, type Line } from './proof.ts';

interface Stream {
  line: Line;
  /** Proves the line, without a stream. @throws SessionOver; Unreachable */
  check(): Promise<void>;
  /** @throws as `check` does */
  open(signal: AbortSignal): Promise<Response>;
}

type On = Parameters<OwnerApi['listen']>[0];

const reconnectMs = [250, 500, 1_000, 2_000, 5_000];

/** Returns a function that ends it; a session that is over ends it too. */
export const listenAlong = (stream: Stream, on: On): (() => void) => {
  const ended = new AbortController();
  let failures = 0;
  const connected = (): void => {
    failures = 0;
    on.connected(true);
  };
  const run = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const over = new AbortController();
      const signal = AbortSignal.any([ended.signal, over.signal]);
      const turn = document.visibilityState === 'hidden' ? waitInBack : listenInFront;
      const end = await turn(stream, { ...on, connected }, signal).catch((error: unknown) =>
        error instanceof SessionOver ? ('over' as const) : ('broke' as const),
      );
      over.abort();
      if (end === 'over') return;
      if (end === 'turned') continue;
      stream.line.broke();
      if (ended.signal.aborted) return;
      on.connected(false);
      await pause(reconnectMs[Math.min(failures, reconnectMs.length - 1)] ?? 5_000);
      failures += 1;
    }
  };
  void run();
  return () => ended.abort();
};

interface Turn {
  event: On['event'];
  connected(): void;
}

/** Browsers open six connections to one address, for all tabs together: a tab that nobody looks at holds none. */
const waitInBack = async (stream: Stream, { connected }: Turn, over: AbortSignal): Promise<'turned'> => {
  await stream.check();
  connected();
  await visibility('visible', over);
  // Without a stream it did not see the host end: another program may have the address.
  stream.line.broke();
  return 'turned';
};

const listenInFront = async (
  { open, line }: Stream,
  { event, connected }: Turn,
  over: AbortSignal,
): Promise<'turned' | 'broke'> => {
  const leaving = new AbortController();
  void visibility('hidden', over).then(() => leaving.abort());
  try {
    const response = await open(AbortSignal.any([over, leaving.signal]));
    connected();
    await readEvents(response, line, event);
  } catch (error) {
    if (error instanceof SessionOver) throw error;
  }
  return leaving.signal.aborted ? 'turned' : 'broke';
};

/** Resolves once this tab is looked at, or no more; or at `over`. */
const visibility = (wanted: DocumentVisibilityState, over: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (document.visibilityState === wanted || over.aborted) resolve();
    };
    document.addEventListener('visibilitychange', look, { signal: over });
    over.addEventListener('abort', look, { once: true });
    look();
  });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads server-sent events until the stream ends. EventSource cannot send an Authorization header. */
const readEvents = async (response: Response, line: Line, take: On['event']): Promise<void> => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) return;
    line.received();
    const parts = (text + value).split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const [, type, data] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? [];
      if (type !== undefined && data !== undefined) take({ type, data: JSON.parse(data) } as OwnerEvent);
    }
  }
};
