// The dashboard of the test files of tasks: each file has a treasury of its own with an agent, and each test a page,
// which must not complain.
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { openDashboard, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { deploy, type TestAgent, type Treasury } from '../harness/treasury.ts';

export let treasury: Treasury;
export let seen: Seen;
export let scout: TestAgent;

export const useScout = (): void => {
  useBrowser();
  beforeAll(async () => {
    treasury = await openServed();
    scout = await deploy(treasury.client, 'scout', { dailyBudget: '5.00', maxPerPayment: '1.00' });
  });
  afterAll(() => treasury.close());
  beforeEach(async () => {
    seen = await openDashboard(treasury);
  });
  afterEach(async () => {
    await seen.close();
    expect(seen.complaints).toEqual([]);
  });
};
