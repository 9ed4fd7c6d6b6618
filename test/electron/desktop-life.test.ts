// The treasury's life in the desktop, with real hosts: networks, secrets, and the state that a failed start leaves.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDesktop, type Desktop } from '../../electron/desktop.ts';
import { openSettings, type SettingsFile } from '../../electron/settings.ts';
import { createHost } from '../../server/host/host.ts';
import type { HostOptions } from '../../server/host/options.ts';
import { createLog } from '../../server/log.ts';
import { hidesKeychain, openMainnet, passphrase, type Mainnet } from '../host/support.ts';
import { instantly, removeFolder, temporaryFolder } from '../harness/treasury.ts';

const open = (
  dataDir: string,
  start: (options: HostOptions) => ReturnType<typeof createHost> = createHost,
) => {
  const log = createLog('silent');
  const settings = openSettings(join(dataDir, 'settings.json'), log);
  const phases: string[] = [];
  const desktop: Desktop = createDesktop({
    dataDir,
    settings,
    args: instantly,
    port: 0,
    createHost: start,
    log,
    changed: () => void phases.push(desktop.life().phase),
  });
  return { desktop, settings, phases };
};

const title = 'a desktop on a network where money is real';
describe.skipIf(!hidesKeychain)(
  hidesKeychain ? title : `${title} (skipped: its keychain cannot be hidden)`,
  () => {
    let mainnet: Mainnet;
    let dataDir = '';
    let desktop: Desktop;
    let settings: SettingsFile;
    const rpcUrl = (): string => mainnet.proxy.url;

    beforeAll(async () => {
      mainnet = await openMainnet();
    });
    beforeEach(() => {
      dataDir = temporaryFolder();
      ({ desktop, settings } = open(dataDir));
    });
    afterEach(async () => {
      await desktop.close();
      removeFolder(dataDir);
    });
    afterAll(() => mainnet.close());

    it('asks for a passphrase, returns to the sandbox without one, and runs with one', async () => {
      await desktop.setUp({ network: 'sandbox' });
      const owner = desktop.running().owner;
      await expect(desktop.setUp({ network: 'mainnet', rpcUrl: rpcUrl() })).rejects.toMatchObject({
        code: 'locked',
      });
      expect([desktop.life().phase, desktop.running().owner, settings.get().network]).toEqual([
        'running',
        owner,
        'sandbox',
      ]);
      await desktop.setUp({ network: 'mainnet', rpcUrl: rpcUrl(), passphrase });
      expect(desktop.running().network).toBe('mainnet');
      expect(desktop.known()).toEqual(['sandbox', 'mainnet']);
      expect(existsSync(join(dataDir, 'owner.cookie'))).toBe(false);
      expect(readFileSync(join(dataDir, 'settings.json'), 'utf8')).not.toContain(passphrase);
    });

    it('starts locked the next time, and the owner unlocks it while it runs', async () => {
      await desktop.setUp({ network: 'mainnet', rpcUrl: rpcUrl(), passphrase });
      await desktop.close();
      const next = open(dataDir);
      ({ desktop } = next);
      await desktop.start();
      expect(next.phases).toEqual(['starting', 'running']);
      const { api, vault } = desktop.running();
      expect(vault.state()).toBe('locked');
      await api.ask('unlock', { body: { passphrase } });
      expect(vault.state()).toBe('unlocked');
    });

    it('refuses an RPC that serves another network, and still waits to be set up', async () => {
      const wrong = { network: 'mainnet', rpcUrl: mainnet.sandbox.rpcUrl, passphrase } as const;
      await expect(desktop.setUp(wrong)).rejects.toThrow('does not serve mainnet');
      expect([desktop.life(), settings.get().network]).toEqual([{ phase: 'setup', failure: null }, null]);
    });

    it('imports a treasury by its recovery phrase', async () => {
      await desktop.setUp({ network: 'mainnet', rpcUrl: rpcUrl(), passphrase });
      const { owner, vault } = desktop.running();
      const phrase = await vault.exportPhrase(passphrase);
      await desktop.close();
      removeFolder(dataDir);
      ({ desktop } = open(dataDir));
      await desktop.setUp({ network: 'mainnet', rpcUrl: rpcUrl(), passphrase: `${passphrase} two`, phrase });
      expect(desktop.running().owner).toBe(owner);
    });
  },
);

describe('a desktop', () => {
  let dataDir = '';
  beforeEach(() => {
    dataDir = temporaryFolder();
  });
  afterEach(() => removeFolder(dataDir));

  it('waits to be set up when nothing is configured', async () => {
    const { desktop, phases } = open(dataDir, () => Promise.reject(new Error('must not be called')));
    await desktop.start();
    expect([desktop.life().phase, phases]).toEqual(['setup', ['setup']]);
    expect(() => desktop.running()).toThrow('not running');
  });

  it('shows an unknown fault as an internal error', async () => {
    const { desktop, settings } = open(dataDir, () => Promise.reject(new Error('secret detail')));
    settings.change({ network: 'sandbox' });
    await desktop.start();
    expect(desktop.life()).toEqual({
      phase: 'failed',
      failure: { code: 'internal', message: 'Internal error. The log says more.' },
    });
  });

  it('starts nothing once it is closed', async () => {
    const { desktop } = open(dataDir);
    await desktop.close();
    await expect(desktop.setUp({ network: 'sandbox' })).rejects.toThrow('closing');
    expect(existsSync(join(dataDir, 'sandbox'))).toBe(false);
  });
});
