// The machine's real keychain, for tests: a gnome-keyring in a D-Bus session of its own. Its content lies in a home
// folder and outlives the session, as a real one outlives a reboot.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { missingTools } from '../../../build/setup.ts';

const missing = missingTools('dbus-run-session', 'gnome-keyring-daemon');
const reason = process.platform === 'linux' ? `missing: ${missing.join(', ')}` : 'it runs on Linux alone';

export const hasKeychain = missing.length === 0;
/** The title, with the reason where this machine has no keychain for tests. */
export const withKeychain = (title: string): string =>
  hasKeychain ? title : `${title} (skipped, ${reason})`;

const unlocked = 'echo pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1';
/** A daemon whose keyring nobody has unlocked. */
export const lockedKeyring = 'gnome-keyring-daemon --start --components=secrets >/dev/null';

/** Runs a command in a session of this home folder: the words before it, and its environment. */
export const inSession = (home: string, daemon = unlocked): { wrapper: string[]; env: NodeJS.ProcessEnv } => {
  const runtime = join(home, 'run');
  mkdirSync(runtime, { mode: 0o700, recursive: true });
  return {
    wrapper: ['dbus-run-session', '--', 'sh', '-c', `${daemon}; exec "$0" "$@"`],
    env: { PATH: process.env['PATH'], HOME: home, XDG_RUNTIME_DIR: runtime },
  };
};

/**
 * Gives this process the keychain of a home folder until it is closed. Once for a process: the keychain's library
 * remembers the first session that it spoke to.
 */
export const openKeychain = async (home: string): Promise<() => Promise<void>> => {
  const { wrapper, env } = inSession(home);
  const [command = '', ...words] = [...wrapper, 'sh', '-c', 'echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat'];
  const session = spawn(command, words, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(session, 'exit');
  const [address] = (await once(createInterface(session.stdout), 'line')) as [string];
  process.env['DBUS_SESSION_BUS_ADDRESS'] = address;
  return async () => {
    session.stdin.end();
    await ended;
  };
};
