// Signals that ask a program to end. On Windows Node tells of a console that is closed, and of Ctrl-Break, by signals
// too; elsewhere a closed terminal is nothing to a program that was started to outlive it.
export const endSignals = (platform: NodeJS.Platform = process.platform): readonly NodeJS.Signals[] =>
  platform === 'win32' ? ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGBREAK'] : ['SIGTERM', 'SIGINT'];
