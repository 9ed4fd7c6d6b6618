// A payment that the chain has not shown yet: every sum counts it, and says how much of it is settling.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rendererFolder } from '../../build/build.ts';
import { goTo, openDashboard, useBrowser } from '../harness/browser.ts';
import { openFaultyTreasury, type FaultyTreasury } from '../harness/faulty-treasury.ts';
import { until } from '../harness/treasury.ts';

useBrowser();

let treasury: FaultyTreasury;
beforeAll(async () => {
  treasury = await openFaultyTreasury({ dashboard: rendererFolder });
  expect((await treasury.agent.pay('1.25')).status).toBe(200);
  await until('it to be final', () => treasury.host.engine.context.store.transfers.open().length === 0);
  // The chain is asked to take the next one, says that it has, and never shows it.
  treasury.proxy.fault = ({ id, method, params }, forward) =>
    method === 'sendTransaction' ? { jsonrpc: '2.0', id, result: String(params[0]).slice(0, 88) } : forward();
  const { status } = await treasury.agent.pay('0.40', { prefer: 'wait=0' });
  expect(status).toBe(202);
});
afterAll(() => treasury.close());

describe('while a payment settles', () => {
  it('all sums count it, and say how much is still settling', async () => {
    const { page, close } = await openDashboard(treasury);
    const region = (name: string) => page.getByRole('region', { name });
    await region('Recent activity').getByText('Settling').waitFor();
    await region('Spent by day').getByText('0.40 USDC is still settling').waitFor();
    // By day, by agent and by service, in 24 hours and in the budget.
    expect(await region('Spent by day').innerText()).toContain('1.65 USDC in 30 days');
    for (const name of ['By agent', 'By service', 'Budgets'])
      expect([name, await region(name).innerText()]).toEqual([name, expect.stringContaining('1.65')]);
    expect(await page.getByRole('table', { name: /Spent by day: 1.65 USDC/ }).count()).toBe(1);
    await goTo(page, '/agents/faulty');
    await page.getByText('2 payments, 0.40 USDC still settling').waitFor();
    for (const label of ['Spent in 24 hours', 'Spent in all']) {
      const card = page.locator('.mantine-Card-root').filter({ hasText: label });
      expect([label, await card.innerText()]).toEqual([label, expect.stringContaining('1.65')]);
    }
    await goTo(page, '/activity');
    const rows = page.getByRole('row').filter({ hasText: 'Sandbox Weather' });
    expect(await rows.first().innerText()).toContain('Settling');
    expect(await rows.nth(1).innerText()).toContain('Paid');
    await close();
  });
});
