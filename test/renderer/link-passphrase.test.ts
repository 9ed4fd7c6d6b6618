// A treasury on a real network in the browser: its owner signs in with the passphrase, at the link page and at the
// dashboard, and is asked to write down the recovery phrase.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rendererFolder } from '../../build/build.ts';
import { openPage, useBrowser } from '../harness/browser.ts';
import { isPhraseKept } from '../../server/host/kept-phrase.ts';
import { createClient, type Client } from '../harness/http-client.ts';
import { until } from '../harness/treasury.ts';
import { hidesKeychain, openWithPassphrase, passphrase, type WithPassphrase } from '../host/support.ts';
import { askToLink, keptBy } from './link-support.ts';

useBrowser();

describe.skipIf(!hidesKeychain)('an owner with the passphrase', () => {
  let opened: WithPassphrase;
  let host: WithPassphrase['host'];
  let client: Client;
  beforeAll(async () => {
    opened = await openWithPassphrase(rendererFolder);
    ({ host } = opened);
    client = createClient(host.url, host.owner, null);
  });
  afterAll(async () => {
    client.close();
    await opened.close();
  });

  it('is asked for the recovery phrase until the end of its address is given, and types no word of it', async () => {
    const { page, complaints, close } = await openPage(host.url);
    await page.goto(host.newLoginUrl() ?? '');
    await page.getByRole('heading', { name: 'Write down your recovery phrase' }).waitFor();
    await page.getByText('--network mainnet').waitFor();
    await page.getByRole('button', { name: 'Later' }).click();
    await page.getByRole('button', { name: 'Skip for now' }).click();
    await page.getByRole('link', { name: 'Do it now' }).click();
    const field = page.getByLabel('The last four characters of the address above the words');
    const send = page.getByRole('button', { name: 'I have the words on paper' });
    await field.fill('1111');
    await send.click();
    await page.getByText('these words are of another network or another treasury').waitFor();
    await field.fill(host.owner.slice(-4));
    await send.click();
    await send.waitFor({ state: 'detached' });
    expect(isPhraseKept(host.engine.context.store, 'mainnet')).toBe(true);
    await page.goto(`${host.url}/#/`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await page.getByText('Write down your recovery phrase').count()).toBe(0);
    await close();
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([]);
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
