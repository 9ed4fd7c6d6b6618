// Agents as the owner tells them apart and changes several at once, in a real browser against the real host.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AgentSummary } from '../../renderer/stores/treasury.ts';
import { goTo, openDashboard, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { deploy, until, type Treasury } from '../harness/treasury.ts';

useBrowser();

let treasury: Treasury;
let seen: Seen;
beforeAll(async () => {
  treasury = await openServed();
  const budget = { dailyBudget: '5', maxPerPayment: '1' };
  await deploy(treasury.client, 'scout', {
    ...budget,
    policy: { approveAbove: '0.50', cooldownSeconds: 60 },
  });
  await treasury.client.post('/v1/agents/scout/rename', { displayName: 'Research Scout' });
  await deploy(treasury.client, 'planner', budget);
  await deploy(treasury.client, 'writer', { ...budget, allocate: '7' });
});
afterAll(() => treasury.close());
beforeEach(async () => {
  seen = await openDashboard(treasury, '/agents');
});
afterEach(async () => {
  await seen.close();
  expect(seen.complaints).toEqual([]);
});

const button = (name: string | RegExp) => seen.page.getByRole('button', { name });
const dialog = () => seen.page.getByRole('dialog');
const cards = () => seen.page.getByRole('list', { name: 'Agents' }).locator('> li');
const choose = async (...names: string[]): Promise<void> => {
  await button('Select').click();
  for (const name of names) await seen.page.getByRole('checkbox', { name: `Choose ${name}` }).check();
};
const agentNow = async (agentId: string) => {
  const { agents } = (await treasury.client.get('/v1/dashboard')).body as { agents: AgentSummary[] };
  return agents.find((agent) => agent.agentId === agentId);
};
const policyOf = async (agentId: string) =>
  (await treasury.client.get(`/v1/agents/${agentId}/policy`)).body['policy'];

describe('an agent’s look', () => {
  it('is the owner’s choice where there is one, with tags to filter by', async () => {
    const { page } = seen;
    await goTo(page, '/agents/scout');
    await button('More for Research Scout').click();
    await page.getByRole('menuitem', { name: 'Colour and tags' }).click();
    await dialog().getByRole('radio', { name: 'violet' }).check();
    await dialog().getByLabel('Picture').fill('RS');
    await dialog()
      .getByRole('combobox', { name: 'Tags' })
      .or(dialog().getByLabel('Tags'))
      .first()
      .fill('research');
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await agentNow('scout')).toMatchObject({ color: 'violet', picture: 'RS', tags: ['research'] });
    await page.locator('h1 svg text', { hasText: 'RS' }).waitFor();
    await goTo(page, '/agents');
    await page.getByRole('group', { name: 'Tags' }).getByText('research').click();
    await until('the filter', async () => (await cards().count()) === 1);
    expect(await cards().first().innerText()).toContain('Research Scout');
  });
});

describe('several agents at once', () => {
  it('are paused after a word on what that means, and none before', async () => {
    await choose('Research Scout', 'planner');
    await button('Pause…').click();
    await dialog().getByText('These 2 stop paying at once.').waitFor();
    expect((await agentNow('scout'))?.status).toBe('active');
    await button('Pause 2 agents').click();
    await seen.page.getByText('2 agents are paused.').waitFor();
    const now = await Promise.all(['scout', 'planner', 'writer'].map(agentNow));
    expect(now.map((agent) => agent?.status)).toEqual(['suspended', 'suspended', 'active']);
    for (const agentId of ['scout', 'planner'])
      await treasury.client.post(`/v1/agents/${agentId}/resume`, {});
  });

  it('get a limit that is shown for each before it is set; a large raise is asked about twice', async () => {
    await choose('Research Scout', 'planner');
    await button('Change a limit…').click();
    await dialog().getByLabel('New daily budget').fill('90');
    await dialog().getByText('Research Scout: 5.00 USDC becomes 90.00 USDC').waitFor();
    await button('Change 2 agents').click();
    await seen.page.getByText('18 times as much').first().waitFor();
    expect((await policyOf('scout')).dailyBudget).toBe('5.00');
    await button('Yes, raise it').click();
    await seen.page.getByText('The limit of 2 agents is changed.').waitFor();
    const budgets = await Promise.all(['scout', 'planner', 'writer'].map(policyOf));
    expect(budgets.map(({ dailyBudget }) => dailyBudget)).toEqual(['90.00', '90.00', '5.00']);
  });

  it('are compared two by two', async () => {
    await choose('Research Scout', 'writer');
    await button('Compare two').click();
    const policy = seen.page.getByRole('table', { name: 'Policy of Research Scout and writer' });
    await policy.getByRole('row', { name: /Daily budget.*differs.*90\.00.*5\.00/ }).waitFor();
    expect(await policy.getByRole('row', { name: /Most per payment/ }).innerText()).not.toContain('differs');
  });
});

const keysOf = async (agentId: string) =>
  (await treasury.client.get(`/v1/agents/${agentId}/keys`)).body['keys'].map(
    ({ keyId }: { keyId: string }) => keyId,
  );

describe('a duplicate', () => {
  it('has the policy and the tags, a key of its own, and no money', async () => {
    const { page } = seen;
    await goTo(page, '/agents/scout');
    await button('More for Research Scout').click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await dialog().getByText('a key of its own, and no money').waitFor();
    await dialog().getByLabel('Name').fill('Second Scout');
    await button('Create agent').click();
    await dialog().getByText('Second Scout is ready').waitFor();
    const made = await agentNow('second-scout');
    expect(made).toMatchObject({ displayName: 'Second Scout', balance: '0.00', tags: ['research'] });
    expect(await policyOf('second-scout')).toEqual(await policyOf('scout'));
    expect(await keysOf('second-scout')).toHaveLength(1);
    expect(await keysOf('scout')).not.toContain((await keysOf('second-scout'))[0]);
  });
});
