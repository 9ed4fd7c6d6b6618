// A month's spending, in a real browser far from UTC: its totals follow the filter, stand beside the month before, and are
// those of the rows that it saves.
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeOf, compared } from '../../renderer/screens/month/changes.ts';
import { isMonth, periodBefore, periodOf, shifted } from '../../renderer/screens/month/months.ts';
import { goTo, openDashboard, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { deploy, type Treasury } from '../harness/treasury.ts';

useBrowser();

let treasury: Treasury;
let seen: Seen;
/** Fourteen hours before UTC, or after: its months begin on another day. */
const timezoneId = 'Pacific/Kiritimati';
beforeAll(async () => {
  treasury = await openServed();
  for (const agentId of ['scout', 'planner'])
    await deploy(treasury.client, agentId, { dailyBudget: '5', maxPerPayment: '1' });
  await treasury.client.post('/v1/agents/scout/rename', { displayName: 'Research Scout' });
});
afterAll(() => treasury.close());
beforeEach(async () => {
  seen = await openDashboard(treasury, '/', { timezoneId });
});
afterEach(async () => {
  await seen.close();
  expect(seen.complaints).toEqual([]);
});

const row = (id: string, amount: string) => ({ id, amount, payments: 1 });

describe('the months', () => {
  it('follow each other over the end of a year, and are whole', () => {
    expect([shifted('2026-01', -1), shifted('2026-12', 1), shifted('2026-03', -1)]).toEqual([
      '2025-12',
      '2027-01',
      '2026-02',
    ]);
    const { from, to } = periodOf('2026-02');
    expect(Date.parse(periodOf('2026-03').from) - Date.parse(to)).toBe(1);
    expect(Date.parse(to)).toBeGreaterThan(Date.parse(from));
    expect(['2026-11', '2026-13', '26-1', '2026-1'].map(isMonth)).toEqual([true, false, false, false]);
  });

  it('are compared with as much of the month before, or with all of it once they are over', () => {
    const tenDays = 10 * 86_400_000;
    const running = periodBefore('2026-11', Date.parse(periodOf('2026-11').from) + tenDays);
    expect(Date.parse(running.to) - Date.parse(running.from)).toBe(tenDays);
    expect(periodBefore('2026-11', Date.parse('2027-06-01'))).toEqual(periodOf('2026-10'));
    // March 31 is compared with all of February, and with nothing of March.
    const late = periodBefore('2026-03', Date.parse(periodOf('2026-03').to) - 1_000);
    expect(late).toEqual(periodOf('2026-02'));
  });

  it('list what was only in the month before, too, and tell changes in whole percent', () => {
    expect(compared([row('a', '2.00')], [row('a', '1.00'), row('b', '3.00')])).toEqual([
      { id: 'a', amount: '2.00', payments: 1, before: '1.00' },
      { id: 'b', amount: '0.00', payments: 0, before: '3.00' },
    ]);
    expect(changeOf('1.50', '1.00')).toEqual({ way: 'more', by: '0.50', percent: 50 });
    expect(changeOf('0.00', '4.00')).toEqual({ way: 'less', by: '4.00', percent: 100 });
    expect(changeOf('1.00', '0.00').percent).toBeNull();
  });
});

const pay = (agentId: string, amount: string) =>
  treasury.client.post(`/v1/agents/${agentId}/pay`, {
    service: 'sandbox-weather',
    amount,
    currency: 'USDC',
  });

describe('the month page', () => {
  it('sums the month by agent and service, follows its filter, and saves the same rows', async () => {
    const { page } = seen;
    await pay('scout', '0.20');
    await pay('scout', '0.30');
    await pay('planner', '0.10');
    await goTo(page, '/activity');
    await page.getByRole('link', { name: 'Month' }).click();
    const agents = page.getByRole('table', { name: 'By agent' });
    await agents.getByRole('row', { name: /Research Scout.*2 payments.*0\.50/ }).waitFor();
    await agents.getByRole('row', { name: /planner.*0\.10/ }).waitFor();
    await page
      .getByRole('table', { name: 'By service' })
      .getByRole('row', { name: /Sandbox Weather.*0\.60/ })
      .waitFor();

    await page.getByLabel('Agent', { exact: true }).first().click();
    await page.getByRole('option', { name: 'Research Scout' }).click();
    await agents.getByRole('row', { name: /planner/ }).waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'By service' }).getByRole('row', { name: /0\.50/ }).waitFor();

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save its rows (CSV)' }).click();
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\r\n');
    const paid = lines.filter((line) => line.includes(',payment,'));
    expect(paid).toHaveLength(2);
    expect(paid.every((line) => line.includes(',scout,'))).toBe(true);

    await page.getByRole('button', { name: /^Show/ }).first().click();
    await page.getByText('Nothing was spent.').first().waitFor();
  });
});

describe('the days of the owner’s time zone', () => {
  it('are those of the chart', async () => {
    const { page } = seen;
    const asked = page.waitForResponse((response) => response.url().includes('/v1/spending'));
    await page.reload();
    const response = await asked;
    expect(new URL(response.url()).searchParams.get('zone')).toBe(timezoneId);
    const shown = page.getByRole('table', { name: /Spent by day/ });
    await shown
      .getByRole('row', {
        name: new RegExp(new Date().toLocaleDateString('en-CA', { timeZone: timezoneId })),
      })
      .waitFor({
        state: 'attached',
      });
  });
});
