// Each remedy of a refusal in a real browser: one click of the owner, and the agent's next try is paid.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { goTo, openDashboard, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { newWallet } from '../harness/sign-in.ts';
import { formatUsdc, usdc } from '../../server/money.ts';
import { deploy, until, type TestAgent, type Treasury } from '../harness/treasury.ts';

useBrowser();

let treasury: Treasury;
let seen: Seen;
beforeAll(async () => {
  treasury = await openServed();
});
afterAll(() => treasury.close());
beforeEach(async () => {
  seen = await openDashboard(treasury);
});
afterEach(async () => {
  await seen.close();
  expect(seen.complaints).toEqual([]);
});

const refuse = async (agent: TestAgent, amount: string, code: string): Promise<void> => {
  const { status, body } = await agent.pay(amount);
  expect([status, body['code']]).toEqual([402, code]);
  const { entries } = (await treasury.client.get(`/v1/activity?agentId=${agent.agentId}&limit=1`)).body;
  await goTo(seen.page, `/activity/${String(entries[0].id)}`);
};
const press = async (name: string): Promise<void> => {
  await seen.page.getByRole('button', { name }).click();
  await seen.page.getByText('can try again now').first().waitFor();
};

describe('a refused payment', () => {
  it('over the limit for one payment is allowed in one click', async () => {
    const agent = await deploy(treasury.client, 'capped', { dailyBudget: '5', maxPerPayment: '0.25' });
    await refuse(agent, '0.75', 'max_per_payment');
    await seen.page.getByText('capped may spend at most 0.25 USDC in one payment.').waitFor();
    await press('Allow up to 0.75 USDC per payment');
    expect((await agent.pay('0.75')).status).toBe(200);
  });

  it('over the daily budget is allowed in one click', async () => {
    const agent = await deploy(treasury.client, 'spent', { dailyBudget: '1', maxPerPayment: '1' });
    expect((await agent.pay('0.9')).status).toBe(200);
    await refuse(agent, '0.31', 'daily_budget');
    await press('Raise the daily budget to 1.21 USDC');
    expect((await agent.pay('0.31')).status).toBe(200);
  });

  it('over the daily budget is allowed until midnight in one click', async () => {
    const agent = await deploy(treasury.client, 'boosted', { dailyBudget: '1', maxPerPayment: '1' });
    expect((await agent.pay('0.9')).status).toBe(200);
    await refuse(agent, '0.31', 'daily_budget');
    await press('Allow 0.21 USDC more today');
    expect((await agent.pay('0.31')).status).toBe(200);
    const { body } = await treasury.client.get('/v1/agents/boosted/policy');
    expect(body).toMatchObject({ policy: { dailyBudget: '1.00' }, boost: { amount: '0.21' } });
  });

  it('over the ceiling is allowed in one click', async () => {
    const agent = await deploy(treasury.client, 'crowded', { dailyBudget: '5', maxPerPayment: '1' });
    const { body } = await treasury.client.get('/v1/treasury/policy');
    await treasury.client.post('/v1/treasury/policy', { dailyBudget: body['spent'] });
    await refuse(agent, '0.02', 'owner_ceiling');
    await press('Raise your ceiling to');
    expect((await agent.pay('0.02')).status).toBe(200);
    await treasury.client.post('/v1/treasury/policy', { dailyBudget: null });
  });

  it('over the budget of its group is allowed there in one click', async () => {
    const agent = await deploy(treasury.client, 'grouped', { dailyBudget: '5', maxPerPayment: '1' });
    const limits = { dailyBudget: '0.50' };
    const { groupId } = (await treasury.client.post('/v1/groups', { name: 'Research', limits })).body;
    await treasury.client.post('/v1/agents/grouped/group', { groupId });
    expect((await agent.pay('0.40')).status).toBe(200);
    await refuse(agent, '0.30', 'daily_budget');
    await seen.page.getByText('The group Research had spent 0.40 of its 0.50 USDC').waitFor();
    await press('Raise the daily budget to 0.70 USDC for the group Research');
    expect((await agent.pay('0.30')).status).toBe(200);
    const { body } = await treasury.client.get(`/v1/groups/${String(groupId)}`);
    expect(body['limits'].dailyBudget).toBe('0.70');
  });

  it('to a service that is not on the list is allowed in one click', async () => {
    const agent = await deploy(treasury.client, 'listed', {
      dailyBudget: '5',
      maxPerPayment: '1',
      policy: { allowedServices: ['sandbox-maps'] },
    });
    await refuse(agent, '0.02', 'service_not_allowed');
    await press('Allow this service');
    expect((await agent.pay('0.02')).status).toBe(200);
    const { policy } = (await treasury.client.get('/v1/agents/listed/policy')).body;
    expect(policy.allowedServices).toEqual(['sandbox-maps', 'sandbox-weather']);
  });

  it('beyond the wallet’s balance is given the difference in one click', async () => {
    const agent = await deploy(treasury.client, 'poor', {
      dailyBudget: '5',
      maxPerPayment: '1',
      allocate: '0.10',
    });
    await refuse(agent, '0.35', 'insufficient_balance');
    await press('Give it 0.25 USDC');
    expect((await agent.pay('0.35')).status).toBe(200);
    await press('Give it 0.25 USDC');
    const { entries } = (await treasury.client.get('/v1/activity?agentId=poor&kind=allocation')).body;
    expect(entries.map(({ amount }: { amount: string }) => amount)).toEqual(['0.25', '0.10']);
  });

  it('beyond what the treasury could give is given once the treasury has it', async () => {
    const agent = await deploy(treasury.client, 'waiting', { dailyBudget: '50', maxPerPayment: '50' });
    await refuse(agent, '20', 'insufficient_balance');
    const { amount } = (await treasury.client.get('/v1/dashboard')).body['treasury'];
    const all = formatUsdc(usdc(BigInt(amount)));
    const rich = await deploy(treasury.client, 'rich', { allocate: all });
    await seen.page.getByRole('button', { name: 'Give it 10.00 USDC' }).click();
    await seen.page.getByText('Nothing was changed.').waitFor();
    await treasury.client.post(`/v1/agents/${rich.agentId}/recall`, { amount: all });
    await press('Give it 10.00 USDC');
    // The first click asked twice in vain, and the second once, as the browser’s console tells.
    const refusals = seen.complaints.splice(0, Infinity);
    expect(refusals.filter((one) => !one.includes('402'))).toEqual([]);
    expect((await agent.pay('20')).status).toBe(200);
  });

  it('of a blocked service is unblocked in one click', async () => {
    const agent = await deploy(treasury.client, 'blocked', { dailyBudget: '5', maxPerPayment: '1' });
    await treasury.client.post('/v1/services/sandbox-weather/rules', { blocked: true });
    await refuse(agent, '0.02', 'service_blocked');
    await seen.page.getByText('You blocked Sandbox Weather for all agents.').waitFor();
    await press('Unblock it for all agents');
    expect((await agent.pay('0.02')).status).toBe(200);
  });

  it('that waited for its seller’s account in vain trusts the seller in one click', async () => {
    const agent = await deploy(treasury.client, 'trusting', { dailyBudget: '5', maxPerPayment: '1' });
    const { store } = treasury.host.engine.context;
    const known = store.services.get('sandbox-weather');
    if (known === undefined) throw new Error('the sandbox sells the weather');
    const service = { ...known, id: 'far', name: 'Far', payees: [newWallet().address], vouched: false };
    store.atomically(() => store.services.upsert({ ...service, source: 'x402-marketplace' }));
    const pay = () =>
      agent.client.post(
        `/v1/agents/${agent.agentId}/pay`,
        { service: 'far', amount: '0.02', currency: 'USDC' },
        { headers: { prefer: 'wait=0' } },
      );
    const { approvalId } = (await pay()).body;
    await treasury.client.post(`/v1/approvals/${String(approvalId)}/deny`);
    const { entries } = (await treasury.client.get('/v1/activity?agentId=trusting&kind=payment&limit=1'))
      .body;
    await goTo(seen.page, `/activity/${String(entries[0].id)}`);
    await press('Trust this seller');
    await until('its payment', async () => {
      const { body } = await pay();
      return body['status'] !== 'awaiting_approval';
    });
  });

  it('asks twice before a limit is raised more than ten times over', async () => {
    const agent = await deploy(treasury.client, 'steep', { dailyBudget: '5', maxPerPayment: '0.02' });
    await refuse(agent, '0.90', 'max_per_payment');
    await seen.page.getByRole('button', { name: 'Allow up to 0.90 USDC per payment' }).click();
    await seen.page.getByRole('dialog').getByRole('button', { name: 'Go back' }).click();
    expect((await agent.pay('0.90')).status).toBe(402);
    await seen.page.getByRole('button', { name: 'Allow up to 0.90 USDC per payment' }).click();
    await press('Yes, raise it');
    expect((await agent.pay('0.90')).status).toBe(200);
  });

  it('changes nothing once the rules allow as much: no limit is lowered', async () => {
    const agent = await deploy(treasury.client, 'raised', { dailyBudget: '5', maxPerPayment: '0.25' });
    await refuse(agent, '0.75', 'max_per_payment');
    await treasury.client.post('/v1/agents/raised/policy', { maxPerPayment: '2' });
    await press('Allow up to 0.75 USDC per payment');
    const { policy } = (await treasury.client.get('/v1/agents/raised/policy')).body;
    expect(policy.maxPerPayment).toBe('2.00');
  });
});

describe('a payment that the owner approves', () => {
  it('and that no longer fits is refused in the owner’s words', async () => {
    const { page } = seen;
    const agent = await deploy(treasury.client, 'late', { dailyBudget: '1', maxPerPayment: '1' });
    await treasury.client.post('/v1/agents/late/policy', { approveAbove: '0.10' });
    const asked: string[] = [];
    for (const amount of ['0.61', '0.62'])
      asked.push(String((await agent.pay(amount, { prefer: 'wait=0' })).body['approvalId']));
    await goTo(page, '/approvals');
    for (const id of asked) {
      const card = page.locator(`article[data-request="${id}"]`);
      await card.locator('[data-key=a]:not([aria-disabled])').click();
      await card.waitFor({ state: 'detached' });
    }
    await page.getByText('late had spent 0.61 of its 1.00 USDC for 24 hours. Another 0.62 USDC').waitFor();
  });
});
