// Signing in at the link page with the passphrase of a treasury on a real network.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rendererFolder } from '../../build/build.ts';
import { readConfig } from '../../server/config.ts';
import { createHost } from '../../server/host/host.ts';
import type { Host } from '../../server/host/options.ts';
import { createLog } from '../../server/log.ts';
import { openPage, useBrowser } from '../harness/browser.ts';
import { createClient, type Client } from '../harness/http-client.ts';
import { removeFolder, temporaryFolder, until } from '../harness/treasury.ts';
import { hidesKeychain, openMainnet, passphrase, type Mainnet } from '../host/support.ts';
import { askToLink, keptBy } from './link-support.ts';

useBrowser();

describe.skipIf(!hidesKeychain)('an owner with the passphrase', () => {
  const dataDir = temporaryFolder();
  let mainnet: Mainnet;
  let host: Host;
  let client: Client;
  beforeAll(async () => {
    mainnet = await openMainnet();
    host = await createHost({
      config: readConfig(['--data', dataDir, '--port', '0', ...mainnet.args], {}),
      log: createLog('silent'),
      passphrase: () => Promise.resolve(passphrase),
      dashboard: rendererFolder,
    });
    client = createClient(host.url, host.owner, null);
  });
  afterAll(async () => {
    client.close();
    await host.close();
    await mainnet.close();
    removeFolder(dataDir);
  });

  it('links the machine, and leaves no session behind', async () => {
    const terminal = await askToLink({ client });
    const { page, complaints, close } = await openPage(host.url);
    const sessions: string[] = [];
    page.on('response', (response) => {
      const isOpening =
        new URL(response.url()).pathname === '/v1/session' && response.request().method() === 'POST';
      if (isOpening && response.ok())
        void response.json().then(({ session }: { session: string }) => sessions.push(session));
    });
    await page.goto(terminal.linkUrl);
    await page.getByRole('button', { name: 'With the passphrase' }).click();
    const field = page.getByRole('textbox', { name: 'Passphrase' });
    await field.fill('wrong horse battery');
    await field.press('Enter');
    await page.getByText('You are not signed in.').waitFor();
    await field.fill(passphrase);
    await field.press('Enter');
    await page.getByText('You are signed in as the owner').waitFor();
    const session = await until('the session', () => sessions[0]);
    expect((await client.get('/v1/dashboard', { token: session })).status).toBe(200);
    await page.getByRole('button', { name: 'Link this machine' }).click();
    await page.getByText('Go back to your terminal').waitFor();
    expect((await terminal.poll()).body).toMatchObject({ status: 'complete', network: 'mainnet' });
    expect((await client.get('/v1/dashboard', { token: session })).status).toBe(401);
    // Only the token stays that gives this browser tries of its own, and allows nothing.
    expect(JSON.parse(await keptBy(page))).toEqual({
      cookie: '',
      'treasury-known': expect.stringMatching(/^knw_[\w-]{43}$/),
    });
    await close();
    expect(complaints.filter((one) => !one.includes('403'))).toEqual([]);
  });
});
