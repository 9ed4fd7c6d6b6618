// `treasury unlock` for a vault with a passphrase: the command asks for it, and needs no login beforehand.
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hidesKeychain, openWithPassphrase, passphrase, type WithPassphrase } from '../host/support.ts';
import { run, type Ended, type Setting } from './terminal.ts';

describe.skipIf(!hidesKeychain)('a locked vault with a passphrase', () => {
  let opened: WithPassphrase;
  let host: WithPassphrase['host'];
  let dataDir: string;
  beforeAll(async () => {
    opened = await openWithPassphrase();
    ({ host, dataDir } = opened);
  });
  afterAll(() => opened.close());
  const command = (line: string, setting: Partial<Setting> = {}): Promise<Ended> =>
    run([...line.split(' '), '--data', dataDir], { home: dataDir, ...setting });
  const isLocked = (): boolean => host.engine.context.keys.locked();

  it('is unlocked by the passphrase that the terminal asks for, even without a login', async () => {
    const unlock = () => command('unlock', { typed: [passphrase] });
    expect(await unlock()).toMatchObject({ code: 0, stderr: 'Passphrase of the vault: ' });
    expect((await command('lock')).code).toBe(0);
    expect((await command('status')).code).toBe(5);
    expect(isLocked()).toBe(true);
    const unlocked = await unlock();
    expect(unlocked).toMatchObject({ code: 0, stdout: 'Unlocked. This terminal is logged in.\n' });
    expect(unlocked.stdout + unlocked.stderr).not.toContain(passphrase);
    expect(isLocked()).toBe(false);
    expect((await command('status')).code).toBe(0);
  });

  it('is unlocked even when this terminal’s login was ended elsewhere', async () => {
    await host.api.ask('lock');
    expect(isLocked()).toBe(true);
    expect((await command('unlock', { typed: [passphrase] })).code).toBe(0);
  });

  it('takes the passphrase from a file descriptor', async () => {
    await command('lock');
    const file = join(dataDir, 'passphrase');
    writeFileSync(file, `${passphrase}\n`);
    const fd = openSync(file, 'r');
    expect(await command(`unlock --passphrase-fd ${fd}`)).toMatchObject({ code: 0, stderr: '' });
    closeSync(fd);
    expect(isLocked()).toBe(false);
  });

  it('stays locked without the passphrase, or with another one', async () => {
    await command('lock');
    const mute = await command('unlock');
    expect(mute).toMatchObject({ code: 3, stdout: '' });
    expect(mute.stderr).toContain('--passphrase-fd');
    expect(await command('unlock', { typed: ['wrong horse battery'] })).toMatchObject({
      code: 5,
      stdout: '',
    });
    expect(isLocked()).toBe(true);
  });
});
