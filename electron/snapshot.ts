// The dashboard as tray, badge and notifications see it: read again soon after anything happened, never in a rush.
import type { Reply } from '../server/contract/schemas.ts';

export type Snapshot = Reply<'dashboard'>;

export interface SnapshotDeps {
  /** Null while the treasury does not run. */
  read(): Promise<Snapshot | null>;
  changed(snapshot: Snapshot | null): void;
  failed(error: unknown): void;
}

export interface SnapshotReader {
  current(): Snapshot | null;
  /** Something happened: one reading for all that happens within 100 ms. */
  touch(): void;
  /** Now; waits for the reading that is under way. */
  refresh(): Promise<void>;
  stop(): void;
}

const coalesceMs = 100;
/** Of the time between two readings, at most a tenth is spent reading: under load the engine comes first. */
const restPerReading = 10;
/** A budget's window moves by itself. */
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
