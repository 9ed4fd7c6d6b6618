// The machine's real keychain: a gnome-keyring of the tests' own, in a D-Bus session of its own.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { missingTools } from '../../build/setup.ts';
import { makeFolder } from './vaults.ts';

const missing = missingTools('dbus-run-session', 'gnome-keyring-daemon');
const reason = process.platform === 'linux' ? `missing: ${missing.join(', ')}` : 'it runs on Linux alone';
const title = missing.length > 0 ? `the Secret Service (skipped, ${reason})` : 'the Secret Service';

const sessionScript = fileURLToPath(new URL('keychain-session.ts', import.meta.url));
const UNLOCKED = 'echo pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null';
const LOCKED = 'gnome-keyring-daemon --start --components=secrets >/dev/null';

interface Outcome {
  address?: string;
  protection?: string;
  secret?: string;
  wiped?: boolean;
  reason?: string;
  message?: string;
}

/** A home folder whose keychain outlives each session, as a real one outlives a reboot. */
const makeHome = () => {
  const home = makeFolder();
  const runtime = join(home, 'run');
  mkdirSync(runtime, { mode: 0o700 });
  const env = { PATH: process.env['PATH'], HOME: home, XDG_RUNTIME_DIR: runtime };
  const dataDir = join(home, 'data');

  const run = (command: string, args: string[]): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      let [output, errors] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
      child.on('error', reject);
      child.on('close', () => {
        if (output) resolve(JSON.parse(output));
        else reject(new Error(`nothing came back: ${errors}`));
      });
    });

  return {
    withoutBus: (step: string, protection?: string) =>
      run(process.execPath, [sessionScript, step, dataDir, ...(protection ? [protection] : [])]),
    inSession: (daemon: string, step: string, protection: string) =>
      run('dbus-run-session', [
        '--',
        'sh',
        '-c',
        `${daemon}; exec "$0" "$@"`,
        process.execPath,
        sessionScript,
        step,
        dataDir,
        protection,
      ]),
  };
};

describe.skipIf(missing.length > 0)(title, () => {
  it.each(['keychain', 'keychain+seal'])(
    'keeps a root secret under %s beyond its session',
    async (protection) => {
      const home = makeHome();
      const created = await home.inSession(UNLOCKED, 'create', protection);
      expect(created).toEqual({ address: expect.any(String), protection });
      const reopened = { address: created.address, secret: 'kept' };
      expect(await home.inSession(UNLOCKED, 'reopen', protection)).toEqual(reopened);
      expect(await home.inSession(UNLOCKED, 'reseal', protection)).toEqual({ protection });
      expect(await home.inSession(UNLOCKED, 'reopen', protection)).toEqual(reopened);
    },
  );

  it('that was wiped is reported, and no new root secret is made', async () => {
    const home = makeHome();
    await home.inSession(UNLOCKED, 'create', 'keychain');
    expect(await home.inSession(UNLOCKED, 'wipe', 'keychain')).toEqual({ wiped: true });
    expect((await home.inSession(UNLOCKED, 'reopen', 'keychain')).reason).toBe('root_missing');
    expect((await home.inSession(UNLOCKED, 'create', 'keychain')).reason).toBe('root_held');
  });

  it('that stays locked is reported', async () => {
    const home = makeHome();
    await home.inSession(UNLOCKED, 'create', 'keychain');
    expect((await home.inSession(LOCKED, 'reopen', 'keychain')).reason).toBe('keychain');
    expect((await home.inSession(UNLOCKED, 'reopen', 'keychain')).secret).toBe('kept');
  });
});

// A key that a broken build left there earlier stays until the machine restarts.
const inKernel = (): string[] =>
  readFileSync('/proc/keys', 'utf8')
    .split('\n')
    .flatMap((line) => /\S+@agent-treasury/.exec(line) ?? []);

describe.skipIf(process.platform !== 'linux')('without D-Bus (Linux alone)', () => {
  it('a root secret for the keychain is refused, and never goes to the kernel’s keyring', async () => {
    const before = inKernel();
    const outcome = await makeHome().withoutBus('create', 'keychain');
    expect(outcome.reason).toBe('keychain');
    expect(outcome.message).toContain("The system's keychain cannot be used");
    expect(inKernel()).toEqual(before);
  });

  it('a new root secret goes to a file under a passphrase', async () => {
    expect(await makeHome().withoutBus('choose')).toEqual({ protection: 'passphrase-file' });
  });
});
