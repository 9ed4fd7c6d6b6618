// Connecting an agent in a real browser: a line without a key, the terminal let in beside it, and a wait that turns green
// by itself.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../harness/http-client.ts';
import { openPage, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { deploy, until, type Treasury } from '../harness/treasury.ts';

useBrowser();

let treasury: Treasury;
let seen: Seen;
beforeEach(async () => {
  treasury = await openServed();
  seen = await openPage(treasury.host.url);
});
afterEach(async () => {
  const { complaints } = seen;
  await seen.close();
  await treasury.close();
  expect(complaints).toEqual([]);
});

const open = async (path: string): Promise<void> => {
  await seen.page.goto(treasury.host.newLoginUrl() ?? '');
  await seen.page.getByRole('heading', { name: /Overview|Welcome/ }).waitFor();
  await seen.page.goto(`${treasury.host.url}${path}`);
};
const keyIn = (text: string): string => /atk_[\w-]+/.exec(text)?.[0] ?? '';

describe('the last step of a new owner', () => {
  it('gives a line without a key, lets its terminal in, and turns green at the first call', async () => {
    const { page } = seen;
    await page.goto(treasury.host.newLoginUrl() ?? '');
    await page.getByRole('button', { name: 'Next: your first agent' }).click();
    await page.getByLabel('Name').fill('Scout');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByText('Waiting for Scout’s first call').waitFor();
    const line = await page.getByRole('region', { name: 'Line that installs into Claude Code' }).innerText();
    expect(line).toMatch(/ mcp install claude-code --agent scout --yes$/);
    expect(line).toContain(`--data ${treasury.dataDir}`);
    expect(keyIn(line)).toBe('');
    expect(await page.getByText(/weather in Lisbon/).isVisible()).toBe(true);

    const { body } = await treasury.client.post('/v1/logins', { terminal: 'me here' }, { token: null });
    await page.getByText(String(body['code'])).waitFor();
    await page.getByRole('button', { name: 'Codes match, allow' }).click();
    await until('the terminal to be in', async () => {
      const claim = `/v1/logins/${body['loginId']}/claim`;
      const { status } = (
        await treasury.client.post(claim, { pollSecret: body['pollSecret'] }, { token: null })
      ).body;
      return status === 'granted';
    });

    await page.getByRole('tab', { name: 'JSON' }).click();
    const key = keyIn(await page.getByRole('tabpanel').innerText());
    const agent = createClient(treasury.host.url, treasury.owner, key);
    await agent.get('/v1/agents/scout/policy');
    await page.getByText('Scout is connected').waitFor();
    await page.getByText('Waiting for Scout').first().waitFor({ state: 'detached' });
    // The first payment to anybody new waits for the owner, and the page says so.
    await agent.post('/v1/agents/scout/pay', {
      service: 'sandbox-weather',
      amount: '0.01',
      currency: 'USDC',
    });
    agent.close();
    await page.getByRole('link', { name: 'Open Approvals' }).click();
    await page.getByRole('heading', { name: 'Approvals', exact: true }).waitFor();
  });
});

describe('an agent’s page', () => {
  it('says when it and each of its keys were last seen, and waits anew for a new key', async () => {
    const { page } = seen;
    const agent = await deploy(treasury.client, 'scout', { allocate: null });
    await open('/agents/scout');
    await page.getByText('Not connected yet').waitFor();
    await page.getByRole('tab', { name: 'Keys and connection' }).click();
    await page.getByText('never used').waitFor();
    await agent.client.get('/v1/agents/scout/policy');
    await page.getByText('Connected, last seen just now').waitFor();
    await page.getByText('last used just now').waitFor();

    await page.getByRole('button', { name: 'Add a key to connect' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Waiting for scout’s first call').waitFor();
    await dialog.getByRole('tab', { name: 'Python' }).click();
    const text = await dialog.getByRole('region', { name: 'First call with Python' }).innerText();
    const own = treasury.client.as(keyIn(text));
    await own.get('/v1/agents/scout/policy');
    await dialog.getByText('scout is connected').waitFor();
    await dialog.getByRole('button', { name: 'I have it' }).click();
  });
});
