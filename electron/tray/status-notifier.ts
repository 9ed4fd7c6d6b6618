// On Linux a tray exists only while a status notifier watcher is on the session's bus; plain GNOME has none.
import { execFile } from 'node:child_process';

const timeoutMs = 2_000;
const question = [
  [
    'gdbus',
    'call',
    '--session',
    '--dest',
    'org.freedesktop.DBus',
    '--object-path',
    '/org/freedesktop/DBus',
  ].concat(['--method', 'org.freedesktop.DBus.NameHasOwner', 'org.kde.StatusNotifierWatcher']),
  ['dbus-send', '--session', '--print-reply', '--dest=org.freedesktop.DBus', '/org/freedesktop/DBus'].concat([
    'org.freedesktop.DBus.NameHasOwner',
    'string:org.kde.StatusNotifierWatcher',
  ]),
] as const;

type Run = (command: string, args: readonly string[]) => Promise<string>;

const runProgram: Run = (command, args) =>
  new Promise((resolve, reject) => {
    execFile(command, [...args], { timeout: timeoutMs }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error);
    });
  });

/** Why there is no tray; null when there is one. */
export const findNoTrayReason = async (
  platform: NodeJS.Platform,
  run: Run = runProgram,
): Promise<string | null> => {
  if (platform !== 'linux') return null;
  for (const [command = '', ...args] of question) {
    try {
      return /\btrue\b/.test(await run(command, args)) ? null : noWatcher;
    } catch {
      // The program is not installed, or there is no bus: try the next one.
    }
  }
  return 'This session has no bus on which a tray could be found, so that closing the window minimizes it.';
};

const noWatcher =
  'This desktop shows no tray icons (on GNOME the extension AppIndicator adds them), so that closing the window minimizes it.';
