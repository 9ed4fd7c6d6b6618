// Signals that ask a program to end. On Windows Node tells of a console that is closed, and of Ctrl-Break, by signals
// too; elsewhere a closed terminal is nothing to a program that was started to outlive it.
export const endSignals = (platform: NodeJS.Platform = process.platform): readonly NodeJS.Signals[] =>
  platform === 'win32' ? ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGBREAK'] : ['SIGTERM', 'SIGINT'];

/** npm passes a Ctrl-C on to a program that has had it from the terminal a moment before. */
const samePressMs = 500;

/** Calls `end` at the first of these signals. A further one ends the program at once, with status 1. */
export const onEndSignal = (end: () => void): void => {
  let since: number | null = null;
  const take = (): void => {
    const now = performance.now();
    if (since === null) {
      since = now;
      return end();
    }
    if (now - since < samePressMs) return;
    process.stderr.write('Ended at once by a second signal, before everything was closed.\n');
    process.exit(1);
  };
  for (const signal of endSignals()) process.on(signal, take);
};
