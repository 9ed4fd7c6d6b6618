// Every state of the link page, the card of a link and the settings of sign-in, light and dark, at both widths: no
// accessibility violation, no complaint, and nothing wider than the page.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goTo, openDashboard, openPage, openServed, useBrowser } from '../harness/browser.ts';
import { newWallet } from '../harness/sign-in.ts';
import { deploy, type Treasury } from '../harness/treasury.ts';
import { flawsOf, widths } from './axe.ts';
import { addIdentity, addWallet, askToLink, type Terminal } from './link-support.ts';

useBrowser();

let ahead = 0;
let treasury: Treasury;
beforeAll(async () => {
  treasury = await openServed({
    clock: { wall: () => Date.now() + ahead, monotonic: () => performance.now() + ahead },
  });
  await deploy(treasury.client, 'taken', { allocate: null });
  await addIdentity(treasury, 'wallet', newWallet().address, 'My hardware wallet');
  await addIdentity(treasury, 'email', 'maker@example.com', 'My mail');
  const mailServer = {
    host: 'smtp.example.com',
    port: 465,
    security: 'tls',
    user: 'maker',
    password: 'secret of the mail server',
    from: 'treasury@example.com',
  };
  await treasury.client.post('/v1/sign-in/mail-server', { mailServer });
});
afterAll(() => treasury.close());

const openTerminal = (): Promise<Terminal> => {
  // Ten link sessions a minute are allowed.
  ahead += 10_000;
  return askToLink(treasury, { machine: `maker on ${'a-very-long-name-'.repeat(3)}`, agentId: 'taken' });
};

/** Sets up every way to sign in. */
const offerAll = async (page: Page): Promise<void> => {
  const json = { wallet: true, email: true, provider: { name: 'Example accounts' }, passphrase: true };
  await page.route('**/v1/sign-in', (route) => route.fulfill({ json }));
};

const ways = [
  'In the treasury',
  'With the passphrase',
  'With a wallet',
  'By e-mail',
  'With Example accounts',
];

const look = async (page: Page, name: string): Promise<string[]> => {
  // A card's buttons are disabled for a moment after it appears, and look so.
  if (name.startsWith('card'))
    await page.locator('article button[aria-disabled=true]').first().waitFor({ state: 'detached' });
  return flawsOf(page, name);
};

describe.each(widths)('at %i px, light and dark', (width) => {
  const options = {
    viewport: { width, height: 860 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  } as const;
  it('the link page is accessible in all its states', async () => {
    const terminal = await openTerminal();
    const { page, complaints, close } = await openPage(treasury.host.url, options);
    await offerAll(page);
    await addWallet(page, newWallet(), { name: 'Test wallet', knows: 'solana:signIn', refuses: true });
    await page.goto(terminal.linkUrl);
    await page.getByText(terminal.code, { exact: true }).waitFor();
    const wrong: string[] = [];
    for (const way of ways) {
      if (way !== ways[0]) await page.getByRole('button', { name: way, exact: true }).click();
      if (way === 'With a wallet') {
        await page.getByRole('button', { name: 'Test wallet' }).click();
        await page.getByText('You refused it').waitFor();
      }
      if (way === 'By e-mail') {
        await page.getByLabel('Your e-mail address').fill('stranger@example.com');
        await page.getByRole('button', { name: 'Send code' }).click();
        await page.getByText('a code is on its way').waitFor();
      }
      wrong.push(...(await look(page, way)));
    }
    await page.goto(`${treasury.host.url}/link`);
    await page.getByText('This link is no longer valid').waitFor();
    wrong.push(...(await look(page, 'over')));
    await close();

    const owner = await openDashboard(treasury, '/', options);
    await owner.page.goto(terminal.linkUrl);
    await owner.page.getByRole('button', { name: 'Link this machine' }).click();
    await owner.page.getByText('You already have an agent “taken”').waitFor();
    wrong.push(...(await look(owner.page, 'form')));
    await owner.page.getByRole('button', { name: 'Give it another key for taken' }).click();
    await owner.page.getByText('Go back to your terminal').waitFor();
    wrong.push(...(await look(owner.page, 'linked')));

    const refused = await openTerminal();
    await owner.page.goto(refused.linkUrl);
    await owner.page.getByText(refused.code, { exact: true }).waitFor();
    const { body } = await treasury.client.get('/v1/link-sessions');
    await treasury.client.post(`/v1/link-sessions/${String(body['links'][0].linkId)}/deny`);
    await owner.page.getByText('This request was declined').waitFor();
    wrong.push(...(await look(owner.page, 'refused')));
    await owner.close();
    expect(wrong).toEqual([]);
    expect([...complaints, ...owner.complaints].filter((one) => !/409|429/.test(one))).toEqual([]);
  });

  it('the card of a link and the settings of sign-in are, too', async () => {
    const terminal = await openTerminal();
    const { page, complaints, close } = await openDashboard(treasury, '/approvals', options);
    const card = page.getByRole('article').filter({ hasText: terminal.code });
    await card.waitFor();
    const wrong = await look(page, 'card');
    await card.getByRole('button', { name: 'Link', exact: true }).click();
    await card.getByText('You already have an agent “taken”').waitFor();
    wrong.push(...(await look(page, 'card of a name that is taken')));
    await card.getByRole('button', { name: 'Deny' }).click();
    await card.waitFor({ state: 'detached' });
    await goTo(page, '/settings');
    await page.getByText('My hardware wallet').waitFor();
    wrong.push(...(await look(page, 'settings')));
    await page.getByRole('button', { name: 'Remove My mail' }).click();
    await page.getByRole('dialog').waitFor();
    wrong.push(...(await look(page, 'removal')));
    await close();
    expect(wrong).toEqual([]);
    expect(complaints.filter((one) => !one.includes('409'))).toEqual([]);
  });
});
