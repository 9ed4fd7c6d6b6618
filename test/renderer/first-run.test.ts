// The first minutes of a new owner, in a real browser: from the one-time address to an agent that can pay.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPage, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { createClient } from '../harness/http-client.ts';
import type { Treasury } from '../harness/treasury.ts';

useBrowser();

let treasury: Treasury;
let seen: Seen;
beforeEach(async () => {
  treasury = await openServed();
  seen = await openPage(treasury.host.url);
});
afterEach(async () => {
  const complaints = seen.complaints;
  await seen.close();
  await treasury.close();
  expect(complaints).toEqual([]);
});

describe('a new owner', () => {
  it('gets a first agent, with its configuration to paste, and the agent can pay', async () => {
    const { page } = seen;
    await page.goto(treasury.host.newLoginUrl() ?? '');
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    expect(page.url()).not.toContain('login');
    expect(await page.getByText(treasury.owner).first().isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Next: your first agent' }).click();
    await page.getByLabel('Name').fill('Research assistant');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('heading', { name: 'Connect Research assistant' }).waitFor();

    await page.getByRole('tab', { name: 'JSON' }).click();
    const text = await page.getByRole('tabpanel').innerText();
    const [key = ''] = /atk_[\w-]+/.exec(text) ?? [];
    const agent = createClient(treasury.host.url, treasury.owner, key);
    const { status } = await agent.get('/v1/agents/research-assistant/balance');
    const policy = (await agent.get('/v1/agents/research-assistant/policy')).body['policy'];
    agent.close();
    expect(status).toBe(200);
    expect(policy).toMatchObject({ newPayees: 'approve', dailyBudget: '5.00', maxPerPayment: '1.00' });

    await page.getByRole('button', { name: 'Go to the overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    // The API key is no longer in the page, nor in any storage.
    const kept = await page.evaluate(
      'document.documentElement.outerHTML + JSON.stringify({ ...sessionStorage, ...localStorage })',
    );
    expect(String(kept)).not.toContain(key);
  });

  it('meets a used login, and signs in with the owner’s token instead', async () => {
    const { page } = seen;
    const login = treasury.host.newLoginUrl() ?? '';
    await page.goto(login);
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    const other = await openPage(treasury.host.url);
    await other.page.goto(login);
    await other.page.getByText('This login was used before').waitFor();
    await other.page
      .getByRole('textbox', { name: 'Owner token' })
      .fill(readFileSync(treasury.host.cookieFile ?? '', 'utf8'));
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('heading', { name: 'Welcome' }).waitFor();
    // The browser itself reports the 401 of the used login.
    expect(other.complaints.filter((one) => !one.includes('401'))).toEqual([]);
    await other.close();
  });

  it('sees nothing without a login', async () => {
    const { page } = seen;
    await page.goto(treasury.host.url);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.content()).not.toContain(treasury.owner);
  });
});
