// The dashboard's snapshot for tray, badge and notifications: read again soon after a change, at a limited rate.
import type { Reply } from '../server/contract/schemas.ts';

export type Refusal = Reply<'activity'>['entries'][number];

export type Snapshot = Reply<'dashboard'> & {
  /** The last refused payment, unless it is older than an hour. */
  lastRefusal: Refusal | null;
};

interface SnapshotDeps {
  /** Null unless the treasury is running. */
  read(): Promise<Snapshot | null>;
  changed(snapshot: Snapshot | null): void;
  failed(error: unknown): void;
}

export interface SnapshotReader {
  current(): Snapshot | null;
  /** Something changed. Changes within 100 ms share one reading. */
  touch(): void;
  /** Reads now, after any reading under way. */
  refresh(): Promise<void>;
  stop(): void;
}

const coalesceMs = 100;
/** At most a tenth of the time is spent reading: under load the engine comes first. */
const restPerReading = 10;
/** A rolling budget window changes without any event. */
const idleMs = 60_000;

export const createSnapshotReader = ({ read, changed, failed }: SnapshotDeps): SnapshotReader => {
  let current: Snapshot | null = null;
  let timer: NodeJS.Timeout | undefined;
  let reading: Promise<void> = Promise.resolve();
  let stopped = false;
  let waitMs = coalesceMs;

  const readOnce = async (): Promise<void> => {
    if (stopped) return;
    const beganAt = performance.now();
    try {
      current = await read();
      changed(current);
    } catch (error) {
      failed(error);
    }
    waitMs = Math.max(coalesceMs, restPerReading * (performance.now() - beganAt));
  };
  const refresh = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    reading = reading.then(readOnce);
    return reading;
  };
  const idle = setInterval(() => void refresh(), idleMs);

  return {
    current: () => current,
    touch() {
      if (!stopped) timer ??= setTimeout(() => void refresh(), waitMs);
    },
    refresh,
    stop() {
      stopped = true;
      clearTimeout(timer);
      clearInterval(idle);
    },
  };
};
