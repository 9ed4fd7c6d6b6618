// Each remedy of a refusal: what its button asks for, and that the agent's next try is paid then.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeOf } from '../../server/contract/refusals/remedy-changes.ts';
import type { Remedy } from '../../server/contract/refusals/remedy.ts';
import { refusalOf as tellOwner } from '../../server/contract/refusals/refused-transfer.ts';
import type { OwnerApi } from '../../server/contract/owner-api.ts';
import { routes, urlOf } from '../../server/contract/routes.ts';
import { AppError, refusalOf } from '../../server/errors.ts';
import { openServed } from '../harness/browser.ts';
import { newWallet } from '../harness/chain/sign-in.ts';
import { deploy, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { useFakeOwner, type Answers } from './fake-owner.ts';

let treasury: Treasury;
beforeAll(async () => {
  treasury = await openServed();
});
afterAll(() => treasury.close());

const post = (path: string, body: object = {}) => treasury.client.post(`/v1/${path}`, body);
const ask = (async (route, { key, body = {}, ...input } = {}) => {
  const { method, path } = routes[route];
  const sent = method === 'GET' ? {} : { body, ...(key === undefined ? {} : { key }) };
  const { status, body: reply } = await treasury.client.call(
    method,
    urlOf(path, treasury.owner, input),
    sent,
  );
  if (status >= 400) throw refusalOf(status, reply);
  return reply;
}) as OwnerApi['ask'];

/** Applies a remedy of the agent's newest refusal, as its button does. Null: there is nothing to change. */
const remedy = async ({ agentId }: TestAgent, kind: Remedy['kind']) => {
  const { entries } = (await treasury.client.get(`/v1/activity?agentId=${agentId}&kind=payment&limit=1`))
    .body;
  const { remedies = [] } = tellOwner(entries[0], (id) => id) ?? {};
  const found = remedies.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} among ${JSON.stringify(remedies)}`);
  const change = await changeOf({ ask }, { agentId, transferId: entries[0].id }, found);
  await change?.run();
  return change;
};
const open = (agentId: string, dailyBudget: string, maxPerPayment: string, more: object = {}) =>
  deploy(treasury.client, agentId, { dailyBudget, maxPerPayment, ...more });
const policyOf = async (agentId: string) => (await treasury.client.get(`/v1/agents/${agentId}/policy`)).body;

interface Case {
  code: string;
  kind: Remedy['kind'];
  amount: string;
  /** Makes an agent that the amount is refused to. */
  make(): Promise<TestAgent>;
  /** What is in force then. */
  after?(): Promise<void>;
}

const spent = async (agentId: string): Promise<TestAgent> => {
  const agent = await open(agentId, '1', '1');
  expect((await agent.pay('0.9')).status).toBe(200);
  return agent;
};
const cases: Record<string, Case> = {
  'over the limit for one payment': {
    code: 'max_per_payment',
    kind: 'raise_limit',
    amount: '0.75',
    make: () => open('capped', '5', '0.25'),
  },
  'over the daily budget': {
    code: 'daily_budget',
    kind: 'raise_limit',
    amount: '0.31',
    make: () => spent('spent'),
  },
  'over the daily budget until midnight': {
    code: 'daily_budget',
    kind: 'boost',
    amount: '0.31',
    make: () => spent('boosted'),
    async after() {
      expect(await policyOf('boosted')).toMatchObject({
        policy: { dailyBudget: '1.00' },
        boost: { amount: '0.21' },
      });
    },
  },
  'over the ceiling': {
    code: 'owner_ceiling',
    kind: 'raise_ceiling',
    amount: '0.02',
    async make() {
      const { body } = await treasury.client.get('/v1/treasury/policy');
      await post('treasury/policy', { dailyBudget: body['spent'] });
      return open('crowded', '5', '1');
    },
    async after() {
      await post('treasury/policy', { dailyBudget: null });
    },
  },
  'over the budget of its group': {
    code: 'daily_budget',
    kind: 'raise_limit',
    amount: '0.30',
    async make() {
      const agent = await open('grouped', '5', '1');
      const { groupId } = (await post('groups', { name: 'Research', limits: { dailyBudget: '0.50' } })).body;
      await post('agents/grouped/group', { groupId });
      expect((await agent.pay('0.40')).status).toBe(200);
      return agent;
    },
    async after() {
      const { groups } = (await treasury.client.get('/v1/groups')).body;
      expect(groups[0].limits.dailyBudget).toBe('0.70');
    },
  },
  'to a service that is not on the list': {
    code: 'service_not_allowed',
    kind: 'allow_service',
    amount: '0.02',
    make: () => open('listed', '5', '1', { policy: { allowedServices: ['sandbox-maps'] } }),
    async after() {
      const allowedServices = ['sandbox-maps', 'sandbox-weather'];
      expect(await policyOf('listed')).toMatchObject({ policy: { allowedServices } });
    },
  },
  'of a blocked service': {
    code: 'service_blocked',
    kind: 'unblock_service',
    amount: '0.02',
    async make() {
      await post('services/sandbox-weather/rules', { blocked: true });
      return open('blocked', '5', '1');
    },
  },
};

describe('the next try of a payment', () => {
  it.each(Object.entries(cases))(
    '%s is paid after the remedy',
    async (_, { code, kind, amount, make, after }) => {
      const agent = await make();
      const { status, body } = await agent.pay(amount);
      expect([status, body['code']]).toEqual([402, code]);
      expect(await remedy(agent, kind)).not.toBeNull();
      expect((await agent.pay(amount)).status).toBe(200);
      await after?.();
    },
  );

  it('beyond the wallet’s balance is given the difference once, however often it is asked for', async () => {
    const agent = await open('poor', '5', '1', { allocate: '0.10' });
    expect((await agent.pay('0.35')).body['code']).toBe('insufficient_balance');
    await remedy(agent, 'give');
    await remedy(agent, 'give');
    expect((await agent.pay('0.35')).status).toBe(200);
    const { entries } = (await treasury.client.get('/v1/activity?agentId=poor&kind=allocation')).body;
    expect(entries.map(({ amount }: { amount: string }) => amount)).toEqual(['0.25', '0.10']);
  });

  it('beyond what the treasury could give is paid once the treasury has it', async () => {
    const agent = await open('waiting', '50', '50');
    expect((await agent.pay('20')).body['code']).toBe('insufficient_balance');
    const { amount } = (await treasury.client.get('/v1/dashboard')).body['treasury'];
    const all = (Number(amount) / 1_000_000).toFixed(6);
    const rich = await deploy(treasury.client, 'rich', { allocate: all });
    await expect(remedy(agent, 'give')).rejects.toThrow(AppError);
    await post(`agents/${rich.agentId}/recall`, { amount: all });
    await remedy(agent, 'give');
    expect((await agent.pay('20')).status).toBe(200);
  });

  it('that waited for its seller’s account in vain waits no more once the seller is trusted', async () => {
    const agent = await open('trusting', '5', '1');
    const { store } = treasury.host.engine.context;
    const known = store.services.get('sandbox-weather');
    if (known === undefined) throw new Error('the sandbox sells the weather');
    const service = { ...known, id: 'far', name: 'Far', payees: [newWallet().address], vouched: false };
    store.atomically(() => store.services.upsert({ ...service, source: 'x402-marketplace' }));
    const body = { service: 'far', amount: '0.02', currency: 'USDC' };
    const pay = async () =>
      (await agent.client.post('/v1/agents/trusting/pay', body, { prefer: 'wait=0' })).body;
    await post(`approvals/${String((await pay())['approvalId'])}/deny`);
    await remedy(agent, 'trust_seller');
    await until('its payment', async () => (await pay())['status'] !== 'awaiting_approval');
  });

  it('changes nothing once the rules allow as much: no limit is lowered', async () => {
    const agent = await open('raised', '5', '0.25');
    await agent.pay('0.75');
    await post('agents/raised/policy', { maxPerPayment: '2' });
    expect(await remedy(agent, 'raise_limit')).toBeNull();
  });
});

const fake = useFakeOwner();
const scout = { agentId: 'scout', displayName: 'Scout' };
const weather = { serviceId: 'weather', service: 'Weather' };
const refused = (code: string, details: Record<string, unknown>): Answers => ({
  listAgents: { agents: [scout] },
  getTransfer: {
    id: 'pay_1',
    kind: 'payment',
    agentId: 'scout',
    status: 'denied',
    state: 'denied',
    ...weather,
    failure: { code, message: 'x', details },
  },
});
const button = (name: string) => fake.page.getByRole('button', { name });
const isDone = () => fake.page.getByText('Scout can try again now').first().waitFor();

interface Row {
  refusal: [code: string, details: Record<string, unknown>];
  says: string;
  answers: Answers;
  button: string;
  asks: ReturnType<typeof fake.asked>[number];
}

const node = { kind: 'group', id: 'grp_1', name: 'Research' };
const rows: Record<string, Row> = {
  'the limit for one payment': {
    refusal: ['max_per_payment', { limit: '0.25', amount: '0.75' }],
    says: 'Scout may spend at most 0.25 USDC in one payment.',
    answers: { getPolicy: { policy: { maxPerPayment: '0.25' } } },
    button: 'Allow up to 0.75 USDC per payment',
    asks: ['setPolicy', { agentId: 'scout', maxPerPayment: '0.75' }],
  },
  'the daily budget': {
    refusal: ['daily_budget', { limit: '1.00', spent: '0.90', amount: '0.31' }],
    says: 'Scout had spent 0.90 of its 1.00 USDC for 24 hours.',
    answers: { getPolicy: { policy: { dailyBudget: '1.00' } } },
    button: 'Raise the daily budget to 1.21 USDC',
    asks: ['setPolicy', { agentId: 'scout', dailyBudget: '1.21' }],
  },
  'the daily budget until midnight': {
    refusal: ['daily_budget', { limit: '1.00', spent: '0.90', amount: '0.31' }],
    says: 'Another 0.31 USDC did not fit.',
    answers: { foreseeBoost: { boosts: [{}] } },
    button: 'Allow 0.21 USDC more today',
    asks: ['boostFor', { transferId: 'pay_1' }],
  },
  'the ceiling': {
    refusal: ['owner_ceiling', { limit: '3.00', spent: '3.00', amount: '0.02' }],
    says: 'All agents together had spent 3.00 of your daily limit for all agents, 3.00 USDC.',
    answers: { getCeiling: { dailyBudget: '3.00' } },
    button: 'Raise your daily limit for all agents to 3.02 USDC',
    asks: ['setCeiling', { dailyBudget: '3.02' }],
  },
  'the budget of its group': {
    refusal: ['daily_budget', { limit: '0.50', spent: '0.40', amount: '0.30', node }],
    says: 'The group Research had spent 0.40 of its 0.50 USDC',
    answers: { getGroup: { limits: { dailyBudget: '0.50' } } },
    button: 'Raise the daily budget to 0.70 USDC for the group Research',
    asks: ['setGroupLimits', { groupId: 'grp_1', dailyBudget: '0.70' }],
  },
  'the list of services': {
    refusal: ['service_not_allowed', {}],
    says: 'Scout may pay only the services that you chose, and Weather is not among them.',
    answers: { getPolicy: { policy: { allowedServices: ['maps'] } } },
    button: 'Allow this service',
    asks: ['setPolicy', { agentId: 'scout', allowedServices: ['maps', 'weather'] }],
  },
  'its wallet’s balance': {
    refusal: ['insufficient_balance', { available: '0.10', amount: '0.35' }],
    says: 'Scout had 0.10 USDC left to spend',
    answers: { balance: { balance: '0.10' } },
    button: 'Give it 0.25 USDC',
    asks: ['allocate', { agentId: 'scout', amount: '0.25' }],
  },
  'a blocked service': {
    refusal: ['service_blocked', {}],
    says: 'You blocked Weather for all agents.',
    answers: { getService: { blockedAt: '2026-01-02T03:04:05.000Z' } },
    button: 'Unblock it for all agents',
    asks: ['setServiceRule', { serviceId: 'weather', blocked: false }],
  },
  'a seller without an account': {
    refusal: ['approval_denied', { because: 'open_account' }],
    says: 'Weather',
    answers: { getService: { isTrusted: false, mayTrust: true } },
    button: 'Trust this seller',
    asks: ['setServiceRule', { serviceId: 'weather', trusted: true }],
  },
};

describe('the page of a payment that was refused', () => {
  it.each(Object.entries(rows))('for %s changes that in one click', async (_, row) => {
    await fake.show('/activity/pay_1', { ...refused(...row.refusal), ...row.answers });
    await fake.page.getByText(row.says).first().waitFor();
    await button(row.button).click();
    await isDone();
    expect(fake.asked()).toEqual([row.asks]);
  });

  it('resumes an agent that is paused meanwhile, and says so before the click', async () => {
    await fake.show('/activity/pay_1', {
      ...refused('max_per_payment', { limit: '0.25', amount: '0.75' }),
      getPolicy: { policy: { maxPerPayment: '0.25' } },
      dashboard: { agents: [{ ...scout, status: 'suspended' }] },
    });
    await button('Allow up to 0.75 USDC per payment, and resume it').click();
    await fake.page.getByText('Done: Allow up to 0.75 USDC per payment.').waitFor();
    expect(fake.asked()).toEqual([
      ['setPolicy', { agentId: 'scout', maxPerPayment: '0.75' }],
      ['resume', { agentId: 'scout' }],
    ]);
  });

  it('leaves alone what the treasury or the watch stopped, whose reason stands elsewhere', async () => {
    await fake.show('/activity/pay_1', {
      ...refused('max_per_payment', { limit: '0.25', amount: '0.75' }),
      getPolicy: { policy: { maxPerPayment: '0.25' } },
      dashboard: { agents: [{ ...scout, status: 'suspended', statusReason: 'no payment explains a debit' }] },
    });
    await button('Allow up to 0.75 USDC per payment').click();
    await fake.page.getByText('Scout can try again once you resume it').first().waitFor();
    expect(fake.asked()).toEqual([['setPolicy', { agentId: 'scout', maxPerPayment: '0.75' }]]);
  });

  it('asks twice before a limit is raised more than ten times over', async () => {
    const answers = { getPolicy: { policy: { maxPerPayment: '0.02' } } };
    await fake.show('/activity/pay_1', {
      ...refused('max_per_payment', { limit: '0.02', amount: '0.90' }),
      ...answers,
    });
    await button('Allow up to 0.90 USDC per payment').click();
    await fake.page.getByRole('dialog').getByRole('button', { name: 'Go back' }).click();
    expect(fake.asked()).toEqual([]);
    await button('Allow up to 0.90 USDC per payment').click();
    await button('Yes, raise it').click();
    await isDone();
    expect(fake.asked()).toEqual([['setPolicy', { agentId: 'scout', maxPerPayment: '0.90' }]]);
  });

  it('says that nothing was changed when the treasury refuses, and can be tried again', async () => {
    await fake.show('/activity/pay_1', {
      ...refused('insufficient_balance', { available: '0.10', amount: '0.35' }),
      balance: { balance: '0.10' },
      allocate: new AppError('locked', 'The treasury is locked.'),
    });
    await button('Give it 0.25 USDC').click();
    await fake.page.getByText('Nothing was changed.').waitFor();
    await fake.answer({ allocate: {} });
    await button('Give it 0.25 USDC').click();
    await isDone();
  });
});

describe('a payment that the owner approves and that no longer fits', () => {
  it('is refused in the owner’s words', async () => {
    const request = { approvalId: 'apr_1', kind: 'payment', agentId: 'scout', hash: 'h' } as const;
    const shown = { paymentId: 'pay_1', amount: '0.62', payee: 'p' };
    const denied = { ...request, shown, status: 'denied' } as const;
    await fake.show('/approvals', {
      ...refused('daily_budget', { limit: '1.00', spent: '0.61', amount: '0.62' }),
      listApprovals: { approvals: [{ ...denied, status: 'pending' }] },
      grantApproval: denied,
    });
    await fake.page.locator('article [data-key=a]:not([aria-disabled])').click();
    await fake.page.getByText('Scout had spent 0.61 of its 1.00 USDC for 24 hours. Another 0.62').waitFor();
    expect(fake.asked()).toEqual([['grantApproval', { approvalId: 'apr_1', hash: 'h' }]]);
  });
});
