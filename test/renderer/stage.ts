// A treasury in which each view of the dashboard has something to show: lived in, with the longest names and largest amounts
// that it accepts.
import { suspend } from '../../server/engine/payment/owner/stop.ts';
import { openServed } from '../harness/browser.ts';
import { live, type Lived } from '../harness/life.ts';
import { newWallet } from '../harness/chain/sign-in.ts';
import { trustedPhone } from '../harness/chain/trusted-phone.ts';
import { until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { openEndpoint } from '../notices/endpoint.ts';
import { addIdentity } from './link-support.ts';
import { paint, type Painted } from './painted.ts';

export interface Stage {
  treasury: Treasury;
  lived: Lived;
  painted: Painted;
  groupId: string;
  /** A payment of the research scout that its group refused. */
  refusedByGroup: string;
  close(): Promise<void>;
}

const longName = 'Internationale Beschaffungskoordination (Nordeuropa und angrenzende Gebiete) 2';
const unbroken = 'W'.repeat(80);

const agentOf = ({ agents }: Lived, agentId: string): TestAgent => {
  const one = agents[agentId];
  if (one === undefined) throw new Error(`there is no ${agentId}`);
  return one;
};

/** Longest names, and amounts with all nine digits before the point and all six behind it. */
const stretch = async ({ client, host }: Treasury, lived: Lived): Promise<void> => {
  for (const [agentId, displayName] of [
    ['research-scout', longName],
    ['code-reviewer', unbroken],
  ])
    await client.post(`/v1/agents/${agentId}/rename`, { displayName });
  await client.post('/v1/sandbox/faucet', { amount: '987654321.123456' });
  await client.post('/v1/agents/research-scout/allocate', { amount: '123456789.654321' });
  const policy = { dailyBudget: '888888888.888888', maxPerPayment: '777777777.777777' };
  await client.post('/v1/agents/research-scout/policy', policy);
  await client.post('/v1/treasury/policy', { dailyBudget: '999999999.999999' });
  const { store } = host.engine.context;
  const service = store.services.get('code-review');
  if (service === undefined) throw new Error('there is no code-review');
  const long = { id: 'long', name: unbroken, description: `${longName} `.repeat(4), price: '0.123456' };
  store.atomically(() => store.services.upsert({ ...service, ...long }));
  await client.post('/v1/models/flux-2-pro', { pricing: { '1k': '0.123456' } });
  await agentOf(lived, 'research-scout').client.post('/v1/agents/research-scout/pay', {
    service: 'sandbox-weather',
    amount: '45678901.234567',
    currency: 'USDC',
    description: unbroken,
    reason: `${longName} `.repeat(3),
  });
  await agentOf(lived, 'code-reviewer').client.post('/v1/agents/code-reviewer/pay', {
    service: 'long',
    amount: '0.876543',
    currency: 'USDC',
    reason: unbroken,
  });
  await client.post('/v1/logins', { terminal: unbroken }, { token: null, owner: null });
  // As a debit that no payment explains stops an agent: with a whole signature.
  await client.post('/v1/agents/newsletter/resume');
  suspend(host.engine.context, 'newsletter', `transaction ${'5'.repeat(88)} took 2.00 USDC`);
};

/** A group with limits, beside a stopped one and an empty one. */
const group = async ({ client }: Treasury): Promise<{ groupId: string; refusedByGroup: string }> => {
  const asked = async (path: string, body: object = {}): Promise<string> =>
    String((await client.post(`/v1/${path}`, body)).body['groupId']);
  const groupId = await asked('groups', {
    name: unbroken,
    limits: { dailyBudget: '5.00', monthlyBudget: '999999999.999999', paymentsPerHour: 40 },
  });
  const stopped = await asked('groups', { name: 'Continuous integration' });
  await asked('groups', { name: 'Empty' });
  await asked('agents/research-scout/group', { groupId });
  await asked('agents/newsletter/group', { groupId: stopped });
  await asked(`groups/${stopped}/stop`);
  await asked('treasury/limits', { weeklyBudget: '100.00', paymentsPerDay: 500 });
  await asked(`groups/${groupId}/limits`, { maxPerPayment: '0' });
  const body = { service: 'sandbox-weather', amount: '0.02', currency: 'USDC' };
  const refused = await client.post('/v1/agents/research-scout/pay', body);
  await asked(`groups/${groupId}/limits`, { maxPerPayment: null });
  return { groupId, refusedByGroup: String(refused.body['details'].paymentId) };
};

const addRules = async ({ client }: Treasury): Promise<void> => {
  const account = `Expenses:${'W'.repeat(111)}`;
  for (const body of [
    { agentId: 'research-scout', account: 'Expenses:Research', costCentre: 'R&D' },
    { serviceId: 'web-search', agentId: 'code-reviewer', account, costCentre: 'W'.repeat(60) },
  ])
    await client.post('/v1/books/rules', body);
};

/** Providers of language models, and a request that waits for a standing approval of one. */
const addModels = async ({ client, host }: Treasury, { agentId, key }: TestAgent): Promise<void> => {
  const own = {
    kind: 'openai-compatible',
    name: unbroken,
    baseUrl: 'http://127.0.0.1:9',
    allowPrivate: true,
  };
  const { supplierId } = (await client.post('/v1/model-suppliers', own)).body;
  for (const body of [
    { kind: 'anthropic', name: 'Anthropic', apiKey: 'sk-of-the-owner-4402' },
    { kind: 'seller', name: 'Shop', baseUrl: 'https://shop.example.com/v1' },
  ])
    await client.post('/v1/model-suppliers', body);
  const model = 'm'.repeat(100);
  const prices = { inputPerMillion: '1', outputPerMillion: '10.5' };
  await client.post('/v1/language-models', { supplierId, modelId: model, ...prices });
  await client.post(`/v1/agents/${agentId}/policy`, { allowedModels: ['*'] });
  const { approveAbove } = (await client.get(`/v1/agents/${agentId}/policy`)).body['policy'];
  await client.post(`/v1/agents/${agentId}/policy`, { approveAbove: '0' });
  const gone = new AbortController();
  const asking = fetch(`${host.url}/v1/agents/${agentId}/llm/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 1, messages: [] }),
    signal: gone.signal,
  }).catch(() => {});
  const { approvals } = host.engine.context.store;
  await until('the owner to be asked', () =>
    approvals.pending(agentId).some(({ kind }) => kind === 'standing'),
  );
  gone.abort();
  await asking;
  await client.post(`/v1/agents/${agentId}/policy`, { approveAbove });
};

/** Channels of notices of which one fails, ways to sign in, and a phone. */
const addSettings = async (treasury: Treasury, server: string): Promise<void> => {
  const { client } = treasury;
  const name = 'A name as long as a name may be, so that it breaks';
  for (const body of [
    { kind: 'desktop' },
    { kind: 'email', to: `${'a-long-name-'.repeat(5)}@example.com` },
    { kind: 'ntfy', topic: 'x'.repeat(64), server, allowPrivate: true, name },
  ])
    await client.post('/v1/notices/channels', body);
  await addIdentity(treasury, 'wallet', newWallet().address, 'My hardware wallet');
  await addIdentity(treasury, 'email', 'maker@example.com', 'My mail');
  const sender = { user: 'maker', password: 'secret of the mail server', from: 'treasury@example.com' };
  const mailServer = { host: 'smtp.example.com', port: 465, security: 'tls', ...sender };
  await client.post('/v1/sign-in/mail-server', { mailServer });
  await trustedPhone(treasury);
};

export const openStage = async (): Promise<Stage> => {
  const treasury = await openServed();
  const lived = await live(treasury);
  const painted = await paint(treasury, agentOf(lived, 'research-scout'), agentOf(lived, 'travel-planner'));
  const endpoint = await openEndpoint();
  endpoint.status = 500;
  await addSettings(treasury, endpoint.url);
  await addModels(treasury, agentOf(lived, 'travel-planner'));
  await stretch(treasury, lived);
  const grouped = await group(treasury);
  await addRules(treasury);
  return {
    treasury,
    lived,
    painted,
    ...grouped,
    async close() {
      await painted.close();
      await treasury.close();
      await endpoint.close();
    },
  };
};
