// The desktop in a real Electron, where its binary is present: the limits of a hostile page there, and the tray.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { desktopFolder, ensureBuilt } from '../../build/build.ts';
import { ownerRoutes } from '../../electron/ipc/channels.ts';
import { instantly, removeFolder, temporaryFolder, until } from '../harness/treasury.ts';
import { attackFrom, permissionsOf } from './hostile-page.ts';

const electronFolder = fileURLToPath(new URL('../../node_modules/electron', import.meta.url));

const executable = (): string | null => {
  const named = join(electronFolder, 'path.txt');
  if (!existsSync(named)) return null;
  const path = join(electronFolder, 'dist', readFileSync(named, 'utf8').trim());
  return existsSync(path) ? path : null;
};

const whyNot = (): string | null => {
  if (executable() === null) return 'Electron’s binary was not downloaded: npx install-electron';
  if (process.platform !== 'linux') return null;
  if (process.getuid?.() === 0) return 'Chromium’s sandbox does not run as root';
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return DISPLAY === undefined && WAYLAND_DISPLAY === undefined
    ? 'there is no display: xvfb-run -a npm test'
    : null;
};

describe('the desktop in Electron', () => {
  const reason = whyNot();
  const dataDir = temporaryFolder();
  let application: ElectronApplication;
  let page: Page;

  beforeAll(async () => {
    if (reason !== null) return;
    await ensureBuilt('dashboard', 'desktop');
    application = await _electron.launch({
      executablePath: executable() ?? '',
      args: [join(desktopFolder, 'main.js'), '--data', dataDir, '--port', '0', ...instantly],
    });
    page = await application.firstWindow();
    await page.waitForLoadState();
  });
  beforeEach((context) => {
    if (reason !== null) context.skip(reason);
  });
  afterAll(async () => {
    if (reason === null) await application.close().catch(() => {});
    removeFolder(dataDir);
  });

  const ask = (group: 'owner' | 'desktop', name: string, input: object = {}): Promise<unknown> =>
    page.evaluate(`window.treasury.${group}.${name}(${JSON.stringify(input)})`);

  it('shows its own page, in one window', async () => {
    expect(page.url()).toMatch(/^app:\/\/treasury\/index\.html/);
    expect(await application.evaluate(({ webContents }) => webContents.getAllWebContents().length)).toBe(1);
  });

  it('gives the page the bridge and nothing of Electron', async () => {
    expect(await page.evaluate('Object.keys(window.treasury).sort()')).toEqual([
      'desktop',
      'onEvent',
      'onOpen',
      'onState',
      'owner',
    ]);
    expect(await page.evaluate('Object.keys(window.treasury.owner).length')).toBe(ownerRoutes.length);
    expect(await page.evaluate('"ipcRenderer" in window || "electron" in window')).toBe(false);
  });

  it('lets a hostile page do nothing, and reports what it tried', async () => {
    await ask('desktop', 'setUp', { network: 'sandbox' });
    const endpoint = join(dataDir, 'runtime', 'endpoint.json');
    const { url } = JSON.parse(readFileSync(endpoint, 'utf8'));
    const { successes, violations, attempts } = await attackFrom(page, Number(new URL(url).port));
    expect([successes, attempts]).toEqual([[], 23]);
    expect(violations.length).toBeGreaterThan(5);
    expect(application.windows()).toHaveLength(1);
  });

  it('denies every permission', async () => {
    expect(await permissionsOf(page)).toEqual([]);
  });

  it('stays on its page, wherever the page navigates to', async () => {
    for (const target of [
      'https://example.com/',
      'http://127.0.0.1:4402/',
      'file:///etc/passwd',
      'app://other/',
    ]) {
      await page.evaluate(`location.href = ${JSON.stringify(target)}`);
      expect(await page.evaluate('location.origin')).toBe('app://treasury');
    }
  });

  it('offers no way around its channels', async () => {
    expect(await ask('owner', 'kill', { params: { agentId: ['x'] } })).toMatchObject({ ok: false });
    expect(await ask('desktop', 'openExplorer', { signature: 'javascript:alert(1)' })).toMatchObject({
      ok: false,
    });
  });

  it('freezes from the page, and ends with nothing left behind', async () => {
    expect(await ask('owner', 'freeze')).toMatchObject({ ok: true, body: { frozen: true } });
    await application.evaluate(({ app }) => app.quit());
    await until('the endpoint is gone', () => !existsSync(join(dataDir, 'runtime', 'endpoint.json')));
  });
});
