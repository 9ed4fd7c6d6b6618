// Quitting: the treasury is closed first, and once, whatever caused the quit.
import type { App } from 'electron';
import type { Log } from '../server/log.ts';

interface QuitDeps {
  app: Pick<App, 'on' | 'quit' | 'exit'>;
  /** Closes everything in reverse order. */
  close(): Promise<void>;
  log: Pick<Log, 'error'>;
  onSignal(signal: NodeJS.Signals, work: () => void): void;
}

/** A chain that does not answer must not keep the system from shutting down; signed transfers are on disk. */
const patienceMs = 10_000;

export const closeBeforeQuit = ({ app, close, log, onSignal }: QuitDeps): void => {
  let phase: 'open' | 'closing' | 'closed' = 'open';
  const closeOnce = async (): Promise<void> => {
    const impatient = setTimeout(() => {
      log.error({}, 'closing took too long');
      app.exit(1);
    }, patienceMs);
    try {
      await close();
    } catch (error) {
      log.error({ err: error }, 'closing failed');
      app.exit(1);
      return;
    } finally {
      clearTimeout(impatient);
    }
    phase = 'closed';
    app.quit();
  };
  app.on('before-quit', (event) => {
    if (phase === 'closed') return;
    event.preventDefault();
    if (phase === 'closing') return;
    phase = 'closing';
    void closeOnce();
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) onSignal(signal, () => app.quit());
};

/** After an uncaught exception only the state on disk can be trusted. */
export const endOnFault = (app: Pick<App, 'exit'>, log: Pick<Log, 'error' | 'fatal'>): void => {
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception: open transfers are on disk');
    app.exit(1);
  });
};
