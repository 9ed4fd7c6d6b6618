// Linking a machine, in a real browser: the terminal asks, the page shows its code, the owner approves; on a real network
// the owner signs in with the passphrase, and is asked to write down the recovery phrase.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rendererFolder } from '../../build/build.ts';
import { isPhraseKept } from '../../server/host/kept-phrase.ts';
import { openDashboard, openPage, openServed, useBrowser, type Seen, inside } from '../harness/browser.ts';
import { createClient, type Client } from '../harness/http-client.ts';
import { deploy, until, type Treasury } from '../harness/treasury.ts';
import { hidesKeychain, openWithPassphrase, passphrase, type WithPassphrase } from '../host/support.ts';
import { askToLink, keptBy, type Terminal } from './link-support.ts';

useBrowser();

const minute = 60_000;
let ahead = 0;
/** Moves the treasury's clock. */
const pass = (ms: number): void => void (ahead += ms);

let treasury: Treasury;
let terminal: Terminal;
let seen: Seen;
beforeAll(async () => {
  treasury = await openServed({
    clock: { wall: () => Date.now() + ahead, monotonic: () => performance.now() + ahead },
  });
});
afterAll(() => treasury.close());
beforeEach(async () => {
  // Ten link sessions a minute are allowed.
  pass(minute);
  terminal = await askToLink(treasury);
  seen = await openPage(treasury.host.url);
});
afterEach(async () => {
  const { complaints } = seen;
  await seen.close();
  expect(complaints).toEqual([]);
});

/** The requests of the tab below. */
const asked: string[] = [];
/** The dashboard and the link page in one tab, so that the page knows its owner. */
const openAsOwner = async (): Promise<Page> => {
  const { page } = seen;
  await page.goto(treasury.host.newLoginUrl() ?? '');
  await inside(page).waitFor();
  await page.goto('about:blank');
  asked.length = 0;
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(terminal.linkUrl);
  await page.getByText('You are signed in as the owner').waitFor();
  return page;
};

/** The status for the terminal, which may poll every two seconds. */
const polled = async (): Promise<Record<string, unknown>> => {
  pass(2_000);
  return (await terminal.poll()).body;
};

const linked = async (): Promise<Record<string, unknown>> => {
  const body = await polled();
  expect(body).toMatchObject({ status: 'complete', network: 'sandbox' });
  return body;
};

/** Opens the link under a clock that the test moves, and records by that clock when the page polls. */
const openTimed = async (page: Page) => {
  await page.clock.install();
  await page.addInitScript(`
      const send = window.fetch;
      window.asked = [];
      window.fetch = (...all) => { window.asked.push([String(all[0]), Date.now()]); return send(...all); };
    `);
  await page.goto(terminal.linkUrl);
  const asks = (): Promise<[string, number][]> => page.evaluate('window.asked');
  const polls = async (): Promise<number[]> =>
    (await asks()).filter(([path]) => path.includes(terminal.token)).map(([, at]) => at);
  /** Time passes in the page until this holds. */
  const passUntil = <T>(what: string, check: () => Promise<T | false>): Promise<T> =>
    until(what, async () => {
      // For the treasury as well, which has limits of its own.
      pass(200);
      await page.clock.runFor(200);
      return check();
    });
  const pollTo = (count: number): Promise<number[]> =>
    passUntil(`${count} polls`, async () => {
      const times = await polls();
      return times.length >= count && times;
    });
  return { asks, polls, passUntil, pollTo };
};

describe('the link page', () => {
  it('shows the machine and the terminal’s code, and reports the link when the owner approves elsewhere', async () => {
    const { page } = seen;
    await page.goto(terminal.linkUrl);
    await page.getByText(terminal.code, { exact: true }).waitFor();
    await page.getByText('Does your terminal show this code?').waitFor();
    await page.getByText('“maker on workstation”').waitFor();
    expect(await page.getByRole('timer').innerText()).toMatch(/min .*left to answer/);
    await page.getByText('Open Approvals in the desktop application').waitFor();

    const owner = await openDashboard(treasury, '/approvals');
    await owner.page.getByRole('navigation', { name: 'Places' }).first().getByLabel('1 waiting').waitFor();
    const card = owner.page.getByRole('article').filter({ hasText: 'maker on workstation' });
    await card.getByText(terminal.code, { exact: true }).waitFor();
    expect(await owner.page.evaluate('document.activeElement.textContent')).toContain('asks to be linked');
    expect(await card.getByRole('textbox', { name: 'Agent' }).inputValue()).toBe('maker-on-workstation');
    await card.getByRole('button', { name: 'Link', exact: true }).click();
    await owner.page.getByText('Nothing is waiting for you').waitFor();
    await owner.close();
    expect(owner.complaints).toEqual([]);

    await page.getByText('Go back to your terminal').waitFor();
    await page.getByText('has no USDC yet').waitFor();
    const { agentId, apiKey, walletAddress } = await linked();
    expect([agentId, String(apiKey).slice(0, 4)]).toEqual(['maker-on-workstation', 'atk_']);
    const { body: policy } = await treasury.client.get('/v1/agents/maker-on-workstation/policy');
    expect(policy['policy']).toMatchObject({ dailyBudget: '5.00', maxPerPayment: '1.00' });
    const { body: balance } = await treasury.client
      .as(String(apiKey))
      .get('/v1/agents/maker-on-workstation/balance');
    expect(balance).toMatchObject({ balance: '0.00', walletAddress });
  });

  it('links at once, with the edited values, for the owner whose session this tab has', async () => {
    terminal = await askToLink(treasury, { machine: 'a laptop', agentId: 'as-wished' });
    const page = await openAsOwner();
    expect(await page.getByRole('textbox', { name: 'Agent' }).inputValue()).toBe('as-wished');
    await page.getByLabel('Daily budget').fill('2,5');
    await page.getByRole('button', { name: 'Link this machine' }).click();
    await page.getByText('Enter an amount such as 12.50.').waitFor();
    await page.getByLabel('Daily budget').fill('2.50');
    await page.getByLabel('Maximum per payment').fill('0.25');
    await page.getByRole('button', { name: 'Link this machine' }).click();
    await page.getByText('Go back to your terminal').waitFor();
    await page.getByText('as-wished has no USDC yet').waitFor();
    expect((await linked())['agentId']).toBe('as-wished');
    // It requests nothing of the dashboard's.
    expect(asked.filter((path) => path === '/v1/dashboard' || path === '/v1/events')).toEqual([]);
    const { body } = await treasury.client.get('/v1/agents/as-wished/policy');
    expect(body['policy']).toMatchObject({ dailyBudget: '2.50', maxPerPayment: '0.25' });
    // The dashboard of this tab stays signed in.
    await page.goto(treasury.host.url);
    await inside(page).waitFor();
  });

  it('gives an existing agent a further API key only when told to', async () => {
    await deploy(treasury.client, 'mine', { allocate: null, dailyBudget: '7.00' });
    terminal = await askToLink(treasury, { machine: 'a laptop', agentId: 'mine' });
    const page = await openAsOwner();
    await page.getByRole('button', { name: 'Link this machine' }).click();
    await page.getByText('You already have an agent “mine”').waitFor();
    expect((await polled())['status']).toBe('pending');
    // Enter in a field does not confirm that.
    await page.getByLabel('Maximum per payment').press('Enter');
    // Another id takes the offer back.
    await page.getByRole('textbox', { name: 'Agent' }).fill('mine-too');
    await page.getByText('You already have an agent “mine”').waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: 'Agent' }).fill('mine');
    await page.getByRole('button', { name: 'Link this machine' }).click();
    await page.getByRole('button', { name: 'Give it another key for mine' }).click();
    await page.getByText('It pays with the USDC of mine').waitFor();
    expect((await linked())['agentId']).toBe('mine');
    const { body: keys } = await treasury.client.get('/v1/agents/mine/keys');
    expect(keys['keys']).toHaveLength(2);
    const { body } = await treasury.client.get('/v1/agents/mine/policy');
    expect(body['policy'].dailyBudget).toBe('7.00');
    seen.complaints.splice(0, Infinity, ...seen.complaints.filter((one) => !one.includes('409')));
  });

  it('asks for the same confirmation in the inbox', async () => {
    await deploy(treasury.client, 'yours', { allocate: null });
    const owner = await openDashboard(treasury, '/approvals');
    await owner.page.getByRole('article').first().waitFor();
    // It appears in the open inbox.
    terminal = await askToLink(treasury, { machine: 'a server', agentId: 'yours' });
    const card = owner.page.getByRole('article').filter({ hasText: 'a server' });
    await card.getByRole('button', { name: 'Link', exact: true }).click();
    await card.getByText('You already have an agent “yours”').waitFor();
    expect((await polled())['status']).toBe('pending');
    await card.getByRole('button', { name: 'Give it another key for yours' }).click();
    await card.waitFor({ state: 'detached' });
    expect((await linked())['agentId']).toBe('yours');
    await owner.close();
    expect(owner.complaints.filter((one) => !one.includes('409'))).toEqual([]);
  });

  it('says when the owner has refused', async () => {
    const { page } = seen;
    await page.goto(terminal.linkUrl);
    await page.getByText(terminal.code, { exact: true }).waitFor();
    const owner = await openDashboard(treasury, '/approvals');
    const card = owner.page.getByRole('article').filter({ hasText: terminal.code });
    await card.getByRole('button', { name: 'Decline' }).click();
    await card.waitFor({ state: 'detached' });
    await owner.close();
    await page.getByText('This request was declined').waitFor();
    expect((await polled())['denied']).toBe(true);
  });

  it('says that a link has ended, and the same of one that never existed', async () => {
    const { page } = seen;
    await page.goto(terminal.linkUrl);
    await page.getByText(terminal.code, { exact: true }).waitFor();
    pass(11 * minute);
    await page.clock.setFixedTime(Date.now() + ahead);
    await page.getByText('This link is no longer valid').waitFor();
    expect(await page.getByText('treasury link').count()).toBe(1);
    for (const path of ['/link?token=lnk_nobody-knows-this-one', '/link']) {
      await page.goto(`${treasury.host.url}${path}`);
      await page.getByText('This link is no longer valid').waitFor();
    }
  });

  it('polls at most every two and a half seconds, and not at all once the link has ended', async () => {
    const { page } = seen;
    const { asks, polls, passUntil, pollTo } = await openTimed(page);
    const times = await pollTo(4);
    const gaps = times.slice(1).map((time, n) => time - (times[n] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2_500);
    // It requests nothing of the dashboard's.
    const others = (await asks()).map(([path]) => path).filter((path) => !path.includes(terminal.token));
    expect(new Set(others)).toEqual(new Set(['/v1/sign-in']));
    const { body } = await treasury.client.get('/v1/link-sessions');
    await treasury.client.post(`/v1/link-sessions/${String(body['links'][0].linkId)}/deny`);
    const refused = page.getByText('This request was declined');
    await passUntil('the refusal', async () => (await refused.count()) > 0);
    const before = (await polls()).length;
    await page.clock.runFor(60_000);
    expect((await polls()).length).toBe(before);
  });

  it('waits as long as the treasury says when two pages poll', async () => {
    const { page } = seen;
    let refusals = 0;
    await page.route(`**/v1/link-sessions/${terminal.token}`, async (route) => {
      if (refusals > 0) return route.continue();
      refusals += 1;
      return route.fulfill({
        status: 429,
        json: { error: 'Ask again.', code: 'too_many_requests', details: { retryAfterSeconds: 4 } },
      });
    });
    const [first = 0, second = 0] = await (await openTimed(page)).pollTo(2);
    await page.getByText(terminal.code, { exact: true }).waitFor();
    expect(second - first).toBeGreaterThanOrEqual(4_000);
    seen.complaints.splice(0, Infinity, ...seen.complaints.filter((one) => !one.includes('429')));
  });

  it('says when the treasury cannot be reached, and continues by itself', async () => {
    const { page } = seen;
    await page.goto(terminal.linkUrl);
    await page.getByText(terminal.code, { exact: true }).waitFor();
    await page.route('**/v1/**', (route) => route.abort());
    await page.getByText('The treasury cannot be reached').waitFor();
    expect(await page.getByText(terminal.code, { exact: true }).isVisible()).toBe(true);
    await page.unroute('**/v1/**');
    await page.getByText('The treasury cannot be reached').waitFor({ state: 'detached' });
    seen.complaints.splice(0, Infinity, ...seen.complaints.filter((one) => !one.includes('ERR_FAILED')));
  });

  it('asks for a sign-in when the session of its tab has ended', async () => {
    const page = await openAsOwner();
    await treasury.client.post('/v1/lock');
    await treasury.client.post('/v1/unlock');
    await page.getByRole('button', { name: 'Link this machine' }).click();
    await page.getByText('Open Approvals in the desktop application').waitFor();
    expect((await polled())['status']).toBe('pending');
    seen.complaints.splice(0, Infinity, ...seen.complaints.filter((one) => !one.includes('401')));
  });

  it('shows a machine’s name as text, and stores nothing in the browser', async () => {
    const machine = '<img src=x onerror="document.title=1"> https://evil.example';
    terminal = await askToLink(treasury, { machine });
    const { page } = seen;
    await page.goto(terminal.linkUrl);
    await page.getByText(`“${machine}”`).waitFor();
    expect(await page.getByRole('link', { name: 'evil' }).count()).toBe(0);
    expect(await keptBy(page)).toBe('{"cookie":""}');
  });
});

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
    terminal = await askToLink({ client });
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
