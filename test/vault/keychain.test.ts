// The machine's real keychain: a gnome-keyring of the tests' own, in a D-Bus session of its own.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hasKeychain, inSession, lockedKeyring, withKeychain } from '../harness/programs/keychain.ts';
import { makeFolder } from './vaults.ts';

const sessionScript = fileURLToPath(new URL('keychain-session.ts', import.meta.url));

interface Outcome {
  address?: string;
  protection?: string;
  secret?: string;
  wiped?: boolean;
  reason?: string;
  message?: string;
}

const run = ([command = '', ...args]: string[], env: NodeJS.ProcessEnv): Promise<Outcome> =>
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

/** A home folder whose keychain outlives each session, as a real one outlives a reboot. */
const makeHome = () => {
  const home = makeFolder();
  const dataDir = join(home, 'data');

  const program = [process.execPath, sessionScript];
  return {
    withoutBus: (step: string, protection?: string) => {
      const { env } = inSession(home);
      return run([...program, step, dataDir, ...(protection ? [protection] : [])], env);
    },
    inSession: (step: string, protection: string, daemon?: string) => {
      const { wrapper, env } = inSession(home, daemon);
      return run([...wrapper, ...program, step, dataDir, protection], env);
    },
  };
};

describe.skipIf(!hasKeychain)(withKeychain('the Secret Service'), () => {
  it.each(['keychain', 'keychain+seal'])(
    'keeps a root secret under %s beyond its session',
    async (protection) => {
      const home = makeHome();
      const created = await home.inSession('create', protection);
      expect(created).toEqual({ address: expect.any(String), protection });
      const reopened = { address: created.address, secret: 'kept' };
      expect(await home.inSession('reopen', protection)).toEqual(reopened);
      expect(await home.inSession('reseal', protection)).toEqual({ protection });
      expect(await home.inSession('reopen', protection)).toEqual(reopened);
    },
  );

  it('that was wiped is reported, and no new root secret is made', async () => {
    const home = makeHome();
    await home.inSession('create', 'keychain');
    expect(await home.inSession('wipe', 'keychain')).toEqual({ wiped: true });
    expect((await home.inSession('reopen', 'keychain')).reason).toBe('root_missing');
    expect((await home.inSession('create', 'keychain')).reason).toBe('root_held');
  });

  it('that stays locked is reported', async () => {
    const home = makeHome();
    await home.inSession('create', 'keychain');
    expect((await home.inSession('reopen', 'keychain', lockedKeyring)).reason).toBe('keychain');
    expect((await home.inSession('reopen', 'keychain')).secret).toBe('kept');
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
