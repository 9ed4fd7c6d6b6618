// The real page in a real Chromium, over the real main process: only Electron between them is a stand-in. The test
// carries the preload script's messages, and the page comes from the desktop's own scheme handler, under its policy.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { rendererFolder } from '../../build/build.ts';
import { createPageHandler } from '../../electron/app-scheme.ts';
import { desktopCommands, ownerRoutes } from '../../electron/ipc/channels.ts';
import { openPage, useBrowser } from '../harness/browser.ts';
import { removeFolder, temporaryFolder, until } from '../harness/treasury.ts';
import { openMainnet, passphrase } from '../host/support.ts';
import { launchDesktop, type DesktopProcess } from './desktop-process.ts';

useBrowser();

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const origin = 'https://treasury.test';

/** The object that electron/ipc/preload.ts puts into the page, with the test as the wire. */
const preload = `
  const heard = { event: [], state: [], open: [] };
  window.hear = (kind, body) => heard[kind].forEach((listen) => listen(body));
  const on = (kind) => (listen) => { heard[kind].push(listen); return () => {}; };
  const all = (prefix, names) => Object.fromEntries(names.map((name) => [name, (input) => window.invoke(prefix + name, input)]));
  window.treasury = {
    owner: all('owner:', ${JSON.stringify(ownerRoutes)}),
    desktop: all('desktop:', ${JSON.stringify(desktopCommands)}),
    onEvent: on('event'), onState: on('state'), onOpen: on('open'),
  };`;

const openDesktopPage = async (
  desktop: DesktopProcess,
): Promise<{ page: Page; complaints: string[]; asked: string[] }> => {
  const { page, complaints, close } = await openPage(origin);
  const handle = createPageHandler(rendererFolder);
  const asked: string[] = [];
  await page.route(`${origin}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    const response = await handle(new Request(`app://treasury${pathname}`));
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    });
  });
  await page.exposeFunction('invoke', (channel: string, input: unknown) => {
    asked.push(channel);
    return desktop.answer(channel, input);
  });
  await page.addInitScript(preload);
  await page.goto(`${origin}/index.html`);
  let told = (await desktop.do('messages')).length;
  const carry = async (): Promise<void> => {
    const messages = await desktop.do('messages');
    const fresh = messages.slice(told);
    told = messages.length;
    for (const { channel, body } of fresh)
      await page.evaluate(
        `hear(${JSON.stringify(channel.replace('message:', ''))}, ${JSON.stringify(body)})`,
      );
  };
  // At the end of a test the desktop or the page may go before it has answered.
  const wire = setInterval(() => void carry().catch(() => {}), 50);
  closers.push(close, () => clearInterval(wire));
  return { page, complaints, asked };
};

const launch = async (args?: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const dataDir = temporaryFolder();
  const desktop = await launchDesktop(dataDir, args === undefined ? { env } : { args, env });
  closers.push(
    () => removeFolder(dataDir),
    async () => {
      desktop.signal('SIGKILL');
      await desktop.exited;
    },
  );
  return { dataDir, desktop };
};

describe('the desktop’s page', () => {
  it('sets up the sandbox, makes a first agent, and opens the screen that a notification names', async () => {
    const home = temporaryFolder();
    closers.push(() => removeFolder(home));
    const { desktop } = await launch(undefined, { HOME: home });
    const { page, complaints } = await openDesktopPage(desktop);
    await page.getByRole('heading', { name: 'Set up your treasury' }).waitFor();
    await page.getByRole('button', { name: 'Start the sandbox' }).click();
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    await page.getByRole('button', { name: 'Next: your first agent' }).click();
    await page.getByLabel('Name').fill('Scout');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('heading', { name: 'Connect Scout' }).waitFor();
    await page.getByText('Waiting for Scout’s first call').waitFor();
    await page.getByRole('button', { name: 'Install into Claude Code' }).click();
    await page.getByText('Restart Claude Code to use it').waitFor();
    const { env } = JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8')).mcpServers['agent-treasury'];
    expect(env).toMatchObject({
      TREASURY_AGENT_ID: 'scout',
      TREASURY_API_KEY: expect.stringMatching(/^atk_/),
    });
    const { keys } = await desktop.ask('listKeys', { params: { agentId: 'scout' } });
    expect(keys.map(({ label }) => label)).toContain('MCP: Claude Code');

    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByRole('button', { name: 'Copy', exact: true }).first().click();
    await until('a key on the clipboard', async () => (await desktop.do('clipboard')).includes('atk_'));
    await page.getByRole('button', { name: 'Go to the overview' }).click();

    await desktop.do('click', ['Freeze everything']);
    await page.getByText('Everything is stopped').waitFor();

    for (const [path, heading] of [
      ['/approvals', 'Approvals'],
      ['/agents/scout', 'Scout'],
      ['/activity?status=denied', 'Activity'],
    ] as const) {
      await page.evaluate(`hear('open', ${JSON.stringify({ path })})`);
      await page.getByRole('heading', { name: heading, exact: true }).waitFor();
    }
    expect(complaints).toEqual([]);
  });

  it('makes a treasury for real money: passphrase, recovery phrase, and proof that it was written down', async () => {
    const mainnet = await openMainnet();
    closers.push(mainnet.close);
    const { desktop } = await launch(['--port', '0', '--ws', String(mainnet.args.at(-1))]);
    const { page, complaints, asked } = await openDesktopPage(desktop);
    await page.getByRole('radio', { name: /Mainnet/ }).click();
    await page.getByLabel('RPC address').fill(mainnet.proxy.url);
    await page.getByLabel('Passphrase').fill(passphrase);
    await page.getByLabel('The same again').fill(passphrase);
    await page.getByRole('button', { name: 'Start the treasury' }).click();
    await page.getByRole('heading', { name: 'Write down your recovery phrase' }).waitFor();
    expect(asked).not.toContain('desktop:revealPhrase');

    await page.getByLabel('Passphrase').fill(passphrase);
    await page.getByRole('button', { name: /Show/ }).click();
    await page.getByRole('listitem').nth(23).waitFor();
    expect((await desktop.do('window')).isProtected).toBe(true);
    const items = await page.getByRole('listitem').allInnerTexts();
    const words = items.map((text) => /[a-z]{3,8}/.exec(text)?.[0] ?? '').filter((word) => word !== '');
    expect(words).toHaveLength(24);
    await page.getByRole('button', { name: /written/i }).click();
    for (const label of await page.locator('label', { hasText: ' word' }).allInnerTexts())
      await page.getByLabel(label).fill(words[Number(/\d+/.exec(label)?.[0]) - 1] ?? '');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('Deposit address', { exact: true }).waitFor();
    expect((await desktop.desktop('state', {})).phraseConfirmed).toBe(true);
    const kept = await page.evaluate(
      'document.documentElement.outerHTML + JSON.stringify({ ...sessionStorage, ...localStorage })',
    );
    for (const secret of [words.slice(0, 3).join(' '), passphrase])
      expect(String(kept)).not.toContain(secret);
    expect(complaints).toEqual([]);
  });
});
