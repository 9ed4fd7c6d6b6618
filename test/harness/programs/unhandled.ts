// Rejections that nobody handled: each of them ends a host's process.
import { onTestFinished } from 'vitest';

/** Notes them from now to the end of the test. Returns a function that resolves to those so far. */
export const unhandled = (): (() => Promise<unknown[]>) => {
  const found: unknown[] = [];
  const note = (reason: unknown): void => void found.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  return async () => {
    // Node tells of them once the turn's other work is done.
    await new Promise((resolve) => setImmediate(resolve));
    return found;
  };
};
