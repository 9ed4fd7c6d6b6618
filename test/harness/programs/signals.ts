// Signals to programs of tests. Windows has none, and would end a program at once: there it is asked over a channel, and
// does what it does at the signal.
import type { ChildProcess } from 'node:child_process';

/** With TEST_WITHOUT_SIGNALS it is so on every system. */
const hasSignals = (): boolean =>
  process.platform !== 'win32' && process.env['TEST_WITHOUT_SIGNALS'] === undefined;

interface Asked {
  flags: readonly string[];
  stdio: readonly 'ipc'[];
}

/** Node's flags and further streams for a program that is to be ended. */
export const toBeAsked = (): Asked =>
  hasSignals()
    ? { flags: [], stdio: [] }
    : { flags: ['--import', new URL('asked.mjs', import.meta.url).href], stdio: ['ipc'] };

export const signalTo = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (hasSignals() || signal === 'SIGKILL') child.kill(signal);
  else child.send(signal, () => {});
};
