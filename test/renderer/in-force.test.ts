// Everything that can be in force: it stands on a screen, with the way to end it, and in the command.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { goTo, openDashboard, openServed, settled, useBrowser, type Seen } from '../harness/browser.ts';
import { createColdWallet } from '../harness/chain/cold-wallet.ts';
import { newWallet } from '../harness/chain/sign-in.ts';
import { trustedPhone } from '../harness/chain/trusted-phone.ts';
import {
  removeFolder,
  temporaryFolder,
  deploy,
  until,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';
import { letIn, run } from '../cli/terminal.ts';
import { allowDelegation, delegate } from '../http/limits/slices.ts';

useBrowser();

let treasury: Treasury;
let scout: TestAgent;
let seen: Seen;
const home = temporaryFolder();
const landlord = newWallet().address;

beforeAll(async () => {
  treasury = await openServed();
  scout = await deploy(treasury.client, 'scout', { policy: { maxPerPayment: '1.00' } });
  await letIn(treasury);
  seen = await openDashboard(treasury);
});
afterAll(async () => {
  await seen.close();
  await treasury.close();
  removeFolder(home);
});

const post = async (path: string, body: object = {}) => {
  const answer = await treasury.client.post(`/v1/${path}`, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};
/** With its questions, which are answered with no. */
const command = async (line: string): Promise<string> => {
  const { stdout, stderr } = await run(['--data', treasury.dataDir, ...line.split(' ')], {
    home,
    typed: ['n'],
  });
  return `${stdout}${stderr}`;
};

/** So many refusals within five minutes are unusual. */
const refusedOften = async (agentId: string, mode: string): Promise<TestAgent> => {
  const agent = await deploy(treasury.client, agentId, { maxPerPayment: '0.10' });
  await post(`agents/${agentId}/watch`, { mode });
  for (let n = 0; n < 30; n += 1) await agent.pay('0.20');
  return agent;
};

interface InForce {
  make(): Promise<unknown>;
  path: string;
  tab?: string;
  says: RegExp;
  /** The button or switch that ends it. */
  end: RegExp;
  line: string;
  prints: RegExp;
}

const inForce: Record<string, InForce> = {
  boost: {
    make: () => post('agents/scout/boost', { amount: '1.00' }),
    path: '/agents/scout',
    says: /A boost adds 1\.00 USDC until/,
    end: /^End it now$/,
    line: 'status',
    prints: /scout .*1\.00 of it until/,
  },
  refill: {
    make: () => post('agents/scout/refill', { refill: { below: '0.50', to: '2.00', perDay: '5.00' } }),
    path: '/agents/scout',
    says: /Refilled below 0\.50 USDC, up to 2\.00 USDC/,
    end: /^Change$/,
    line: 'refill scout',
    prints: /0\.50/,
  },
  'a delegated key of the third level': {
    async make() {
      await allowDelegation(treasury.client, 'scout');
      let by = scout.client;
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      for (const label of ['first', 'second', 'third']) {
        by = (await delegate(by, 'scout', { label, expiresAt, dailyBudget: '0.50' })).client;
      }
    },
    path: '/agents/scout',
    tab: 'Keys and connection',
    says: /^third$/,
    end: /^End third/,
    line: 'delegate list scout',
    prints: /third/,
  },
  'a standing approval': {
    async make() {
      await deploy(treasury.client, 'asker', { policy: { approveAbove: '0.00' } }).then((asker) =>
        asker.pay('0.02'),
      );
      const { approvals } = (await treasury.client.get('/v1/approvals')).body;
      const { approvalId, hash } = approvals[0];
      const standing = { upTo: '3.00', until: new Date(Date.now() + 3_600_000).toISOString() };
      await post(`approvals/${approvalId}/grant`, { hash, standing });
    },
    path: '/approvals',
    says: /0\.00 USDC of 3\.00 USDC used/,
    end: /^Revoke: asker can pay/,
    line: 'standing',
    prints: /asker/,
  },
  'a hold of the watch': {
    make: () => refusedOften('nervous', 'ask'),
    path: '/',
    says: /^Unusual activity: nervous$/,
    end: /^Back to usual$/,
    line: 'status',
    prints: /Unusual activity: nervous/,
  },
  'a rule of the watch that is muted': {
    async make() {
      await refusedOften('steady', 'ask');
      const { asking } = (await treasury.client.get('/v1/agents/steady/watch')).body;
      await post('agents/steady/watch/normal', { tripId: asking.trip.id });
    },
    path: '/agents/steady/watch',
    says: /^Muted as normal$/,
    end: /^Watch again: /,
    line: 'watch steady',
    prints: /Normal .*until/,
  },
  'a pause by the watch': {
    make: () => refusedOften('halted', 'pause'),
    path: '/agents/halted',
    says: /times in a row|refused/i,
    end: /^Resume halted$/,
    line: 'agents',
    prints: /halted +halted +suspended/,
  },
  'a stopped draw': {
    async make() {
      const cold = await createColdWallet(treasury.host.rpcUrl, 500_000_000n);
      await cold.allow(treasury.owner, 50_000_000n);
      await post('cold', { address: cold.address });
      await post('cold/stop');
    },
    path: '/treasury',
    says: /stopped by you since|you stopped drawing/i,
    end: /^Resume drawing from it$/,
    line: 'status',
    prints: /You stopped drawing/,
  },
  'a supplier of language models': {
    make: () =>
      post('model-suppliers', { kind: 'openai', name: 'Our account', apiKey: 'sk-0123456789abcdef' }),
    path: '/catalog/models',
    says: /^Our account$/,
    end: /^Remove Our account$/,
    line: 'models suppliers',
    prints: /Our account .* on/,
  },
  'a label': {
    async make() {
      const rent = { asset: 'USDC', to: landlord, amount: '1.00' };
      await treasury.client.post('/v1/treasury/withdraw', rent, { key: 'rent' });
      await post('labels', { address: landlord, label: 'Landlord' });
    },
    path: '/treasury',
    says: /“Landlord”/,
    end: /^Change its label$/,
    line: `withdraw 1.00 ${landlord}`,
    prints: /You call it “Landlord”/,
  },
  'a blocked service': {
    make: () => post('services/sandbox-weather/rules', { blocked: true }),
    path: '/catalog/service/sandbox-weather',
    says: /You blocked it on/,
    end: /^Unblock$/,
    line: 'services rule sandbox-weather',
    prints: /Blocked +for all agents/,
  },
  'a trusted seller': {
    async make() {
      const { store } = treasury.host.engine.context;
      const service = store.services.get('sandbox-weather');
      if (service === undefined) throw new Error('there is no sandbox-weather');
      const imported = {
        ...service,
        id: 'far-away',
        name: 'Far away',
        vouched: false,
        payees: [newWallet().address],
      };
      store.atomically(() => store.services.upsert({ ...imported, source: 'x402-marketplace' }));
      await post('services/far-away/rules', { trusted: true });
    },
    path: '/catalog/service/far-away',
    says: /trust/i,
    end: /^Stop trusting$/,
    line: 'services rule far-away',
    prints: /Trusted +yes/,
  },
  'a stop of a group': {
    async make() {
      const { groupId } = await post('groups', { name: 'Night shift' });
      await deploy(treasury.client, 'sleeper', { allocate: null });
      await post('agents/sleeper/group', { groupId });
      await post(`groups/${String(groupId)}/stop`);
    },
    path: '/agents',
    says: /Night shift/,
    end: /^Resume the group Night shift$/,
    line: 'groups',
    prints: /Night shift.*stopped/,
  },
  'the ceiling': {
    make: () => post('treasury/policy', { dailyBudget: '77.00' }),
    path: '/settings/limits',
    says: /77\.00/,
    end: /^Edit: Daily budget/,
    line: 'limits',
    prints: /77\.00/,
  },
  'a phone': {
    make: () => trustedPhone(treasury),
    path: '/settings/phones',
    says: /Maximum per approval/,
    end: /^Remove phone/,
    line: 'phone list',
    prints: /2\.00/,
  },
  'a public address': {
    make: () => post('public-address', { url: 'https://treasury.example.com' }),
    path: '/settings/machines',
    says: /I may sign in there as the owner/,
    end: /^Remove address$/,
    line: 'public-address',
    prints: /treasury\.example\.com/,
  },
  'the anchor of the books': {
    make: () => post('books/anchor', { on: true }),
    path: '/books',
    says: /Anchor the books once a day/,
    end: /^Anchor the books once a day/,
    line: 'books anchor',
    prints: /Anchoring +on/,
  },
};

it.each(Object.entries(inForce))('shows %s, the way to end it, and prints it', async (_, one) => {
  await one.make();
  const { page } = seen;
  await goTo(page, one.path);
  if (one.tab !== undefined) await page.getByRole('tab', { name: one.tab }).click();
  await page.getByText(one.says).first().waitFor();
  await settled(page);
  const end = page.getByRole('button', { name: one.end }).or(page.getByLabel(one.end));
  await end.first().waitFor({ state: 'attached' });
  await until(one.line, async () => one.prints.test(await command(one.line)));
  expect(seen.complaints).toEqual([]);
});
