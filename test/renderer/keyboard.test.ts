// The owner's story without a mouse, from the first run to the first payment and on: keys alone, in a real browser.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPage, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { createClient, type Client } from '../harness/http-client.ts';
import { until, type Treasury } from '../harness/treasury.ts';

useBrowser();

let treasury: Treasury;
let seen: Seen;
let agent: Client;
beforeAll(async () => {
  treasury = await openServed();
  seen = await openPage(treasury.host.url);
});
afterAll(async () => {
  agent?.close();
  await seen.close();
  await treasury.close();
  expect(seen.complaints).toEqual([]);
});

let pressed = 0;
const press = async (page: Page, key: string): Promise<void> => {
  pressed += 1;
  await page.keyboard.press(key);
};
const mostStops = 150;
/** Tabs on to an element, and fails if Tab alone does not reach it. */
const tabTo = async (page: Page, role: 'button' | 'link' | 'textbox', name: string): Promise<void> => {
  const wanted = page.getByRole(role, { name });
  await wanted.first().waitFor();
  const isThere = async (): Promise<boolean> => (await wanted.and(page.locator(':focus')).count()) > 0;
  for (let stops = 0; !(await isThere()); stops += 1) {
    expect(stops, `Tab does not reach the ${role} “${name}”`).toBeLessThan(mostStops);
    await press(page, 'Tab');
  }
};
const pushButton = async (page: Page, name: string): Promise<void> => {
  await tabTo(page, 'button', name);
  // A decision can be taken a moment after its request has appeared.
  await page.locator(':focus[aria-disabled=true]').waitFor({ state: 'detached' });
  await press(page, 'Enter');
};
const follow = async (page: Page, name: string): Promise<void> => {
  await tabTo(page, 'link', name);
  await press(page, 'Enter');
};
const pay = async (amount: string) => {
  const body = { service: 'sandbox-weather', amount, currency: 'USDC' };
  return agent.post('/v1/agents/scout/pay', body, { prefer: 'wait=0' });
};
const isPaid = async (paymentId: unknown): Promise<boolean> =>
  (await treasury.client.get(`/v1/transfers/${String(paymentId)}`)).body['status'] === 'confirmed';

describe('an owner without a mouse', () => {
  it('creates a first agent and copies its connection', async () => {
    const { page } = seen;
    await page.goto(treasury.host.newLoginUrl() ?? '');
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    await pushButton(page, 'Next: your first agent');
    await tabTo(page, 'textbox', 'Name');
    await page.keyboard.type('scout');
    await pushButton(page, 'Create agent');
    await page.getByRole('heading', { name: 'Connect scout' }).waitFor();
    const [key = ''] = /atk_[\w-]+/.exec(await page.content()) ?? [];
    agent = createClient(treasury.host.url, treasury.owner, key);
    await pushButton(page, 'Go to the overview');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('approves its first payment', async () => {
    const { page } = seen;
    const { body } = await pay('0.20');
    expect(body['status']).toBe('awaiting_approval');
    await follow(page, 'Approvals');
    await pushButton(page, 'Approve once');
    await until('the payment', () => isPaid(body['paymentId']));
  });

  it('raises a limit from the refusal, and the agent is paid at its next try', async () => {
    const { page } = seen;
    const refused = await pay('1.50');
    expect([refused.status, refused.body['code']]).toEqual([402, 'max_per_payment']);
    await follow(page, 'Activity');
    await page.getByRole('row').filter({ hasText: 'Refused' }).first().waitFor();
    // Tab stops at the newest row alone.
    await follow(page, 'Sandbox Weather');
    await pushButton(page, 'Allow up to 1.50 USDC per payment');
    await page.getByText('can try again now').first().waitFor();
    const { body } = await pay('1.50');
    await until('the payment', () => isPaid(body['paymentId']));
  });

  it('stops everything, and lifts the stop', async ({ annotate }) => {
    const { page } = seen;
    await pushButton(page, 'Freeze everything');
    await until('the stop', () => treasury.host.engine.context.store.freeze.get() !== null);
    const stopped = await pay('0.01');
    expect([stopped.status, stopped.body['code']]).toEqual([403, 'frozen']);
    await pushButton(page, 'Unfreeze');
    // The dialog has a button of the same name. It takes the focus once it is open.
    await page.getByRole('dialog').locator(':focus').waitFor();
    await pushButton(page, 'Unfreeze');
    await until('the end of the stop', async () => (await pay('0.02')).status < 300);
    await annotate(`${pressed} keys, besides those of the name`);
  });
});
