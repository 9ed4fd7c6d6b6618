// The days of the overview's chart are those of the owner's time zone, in a real browser far from UTC.
import { expect, it } from 'vitest';
import { openDashboard, openServed, useBrowser } from '../harness/browser.ts';

useBrowser();

/** Fourteen hours before UTC, or after. */
const timezoneId = 'Pacific/Kiritimati';

it('the chart has the days of the browser’s time zone', async () => {
  const treasury = await openServed();
  const { page, close } = await openDashboard(treasury, '/', { timezoneId });
  const asked = page.waitForResponse((response) => response.url().includes('/v1/spending'));
  await page.reload();
  const response = await asked;
  expect(new URL(response.url()).searchParams.get('zone')).toBe(timezoneId);
  const today = new Date().toLocaleDateString('en-CA', { timeZone: timezoneId });
  await page
    .getByRole('table', { name: /Spent by day/ })
    .getByRole('row', { name: new RegExp(today) })
    .waitFor({ state: 'attached' });
  await close();
  await treasury.close();
});
