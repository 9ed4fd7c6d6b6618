// A treasury that looks lived in, for screenshots and for the tests of every screen: four agents, a month of payments,
// some of today, and requests that wait for the owner. The month is written into the store, since a chain cannot be
// given a past, and costs no network fees; today's payments are made on the sandbox.
import { randomBytes } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import type { Service } from '../../server/engine/ports.ts';
import type { Host } from '../../server/host/options.ts';
import { deploy, until, type TestAgent, type Treasury } from './treasury.ts';
import { reservedPayment } from './engine/payment-row.ts';

const dayMs = 86_400_000;
const newAddress = (): string => Keypair.generate().publicKey.toBase58();

const services = [
  ['web-search', 'Web Search', 'Results of a web search, with a summary of each page.', 'search', '0.01'],
  ['page-reader', 'Page Reader', 'Any web page as clean text.', 'data', '0.005'],
  ['flight-prices', 'Flight Prices', 'Prices of flights between two cities.', 'travel', '0.03'],
  ['code-review', 'Code Review', 'A second pair of eyes on a change.', 'development', '0.25'],
] as const;

const agents = [
  ['research-scout', 'Research Scout', '5.00', '0.50', '20.00'],
  ['code-reviewer', 'Code Reviewer', '3.00', '1.00', '15.00'],
  ['travel-planner', 'Travel Planner', '2.00', '0.25', '10.00'],
  ['newsletter', 'Newsletter', '1.00', '0.10', '5.00'],
] as const;

/** A day, in USDC. */
const ofAllAgents = '10.00';
const unitsOf = (decimal: string): number => Math.round(Number(decimal) * 1_000_000);

/** The same numbers in every run. */
const createDice = () => {
  let state = 7;
  return (sides: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
};

const addServices = ({ engine }: Host): void => {
  const { store } = engine.context;
  store.atomically(() => {
    for (const [id, name, description, category, price] of services) {
      const entry: Service = {
        id,
        name,
        description,
        category,
        source: 'x402-marketplace',
        endpoint: `GET /${id}`,
        origin: `https://${id}.example`,
        payees: [newAddress()],
        pricing: {},
        price,
        vouched: true,
      };
      store.services.upsert(entry);
    }
  });
};

/**
 * Payments of the last 30 days without the last 24 hours, in the order of their times: each within the limits of its agent and
 * of all agents, as the treasury would have allowed it.
 */
const addPast = ({ engine }: Host): void => {
  const { store, settings } = engine.context;
  const dice = createDice();
  const now = Date.now();
  const before: { agentId: string; at: number; units: number }[] = [];
  const leftOf = (at: number, most: string, agentId?: string): number =>
    unitsOf(most) -
    before
      .filter((one) => one.at > at - dayMs && (agentId === undefined || one.agentId === agentId))
      .reduce((sum, { units }) => sum + units, 0);
  store.atomically(() => {
    for (let day = 30; day > 1; day -= 1) {
      const count = 2 + dice(8);
      for (let n = 0; n < count; n += 1) {
        const [agentId, , dailyBudget, maxPerPayment] = agents[dice(agents.length)] ?? agents[0];
        const [serviceId, name, , , price] = services[dice(services.length)] ?? services[0];
        const times = 1 + dice(6);
        const agent = store.agents.get(agentId);
        if (agent === undefined) throw new Error(`there is no ${agentId}`);
        const payee = store.services.get(serviceId)?.payees[0] ?? settings.owner;
        const at = Math.round(now - day * dayMs + (n * dayMs) / count);
        const most = Math.min(
          unitsOf(maxPerPayment),
          leftOf(at, dailyBudget, agentId),
          leftOf(at, ofAllAgents),
        );
        const units = unitsOf(price) * Math.min(times, Math.floor(most / unitsOf(price)));
        if (units === 0) continue;
        before.push({ agentId, at, units });
        pay({ host: engine, agent, serviceId, name, payee, units, at });
      }
    }
  });
};

interface PastPayment {
  host: Host['engine'];
  agent: { agentId: string; walletIndex: number; wallet: string };
  serviceId: string;
  name: string;
  payee: string;
  /** micro-USDC. */
  units: number;
  at: number;
}

const pay = ({ host, agent, serviceId, name, payee, units, at }: PastPayment): void => {
  const { store, newId } = host.context;
  const { agentId, walletIndex, wallet } = agent;
  const transfer = reservedPayment({
    id: newId('pay'),
    agentId,
    walletIndex,
    wallet,
    payee,
    amount: BigInt(units),
    serviceId,
    serviceName: name,
    createdAt: at,
  });
  const { id } = store.transfers.insert(transfer);
  const lifetime = { blockhash: newAddress(), lastValidHeight: 1, slot: 1, height: 1 };
  const signature = bs58.encode(randomBytes(64));
  const signed = { messageHash: 'past', signature, wire: new Uint8Array(), lifetime, at };
  store.transfers.move(id, 'reserved', 'signed', { signed });
  store.transfers.move(id, 'signed', 'sent', { sentAt: at + 5 });
  store.transfers.move(id, 'sent', 'seen', { seenAt: at + 900, seenSlot: 1, blockTime: at });
  store.transfers.move(id, 'seen', 'final', { endedAt: at + 13_000 });
  store.payees.remember(agentId, payee, at);
};

const say = (agent: TestAgent, service: string, amount: string, description = '') =>
  agent.client.post(`/v1/agents/${agent.agentId}/pay`, { service, amount, currency: 'USDC', description });

export interface Lived {
  agents: Record<string, TestAgent>;
  /** A payment that was confirmed, and one that was refused. */
  paid: string;
  refused: string;
}

/** Fills a new treasury. Takes a second on an instant chain. */
export const live = async ({ host, client }: Treasury): Promise<Lived> => {
  addServices(host);
  const made: Record<string, TestAgent> = {};
  const names = agents.map(([agentId, , dailyBudget, maxPerPayment]) => ({
    agentId,
    dailyBudget,
    maxPerPayment,
  }));
  const { time } = host.engine.context;
  const { now } = time;
  // Before their first payments.
  time.now = () => now() - 31 * dayMs;
  for (const { agentId, ...policy } of names)
    made[agentId] = await deploy(client, agentId, { ...policy, allocate: null });
  time.now = now;
  addPast(host);
  for (const [agentId, displayName, , , amount] of agents) {
    await client.post(`/v1/agents/${agentId}/rename`, { displayName });
    await client.post(`/v1/agents/${agentId}/allocate`, { amount });
  }
  await client.post('/v1/treasury/policy', { dailyBudget: ofAllAgents });
  const agent = (agentId: string): TestAgent => {
    const one = made[agentId];
    if (one === undefined) throw new Error(`there is no ${agentId}`);
    return one;
  };
  const scout = agent('research-scout');
  // A forecast costs 0.01.
  for (let cities = 30; cities < 46; cities += 2)
    await say(scout, 'sandbox-weather', `0.${cities}`, `Forecasts for ${cities} cities`);
  const paid = await say(scout, 'sandbox-weather', '0.01', 'The weather in Lisbon');
  await say(agent('code-reviewer'), 'sandbox-weather', '0.40', 'Test data for the forecasts: 40 cities');
  await say(agent('travel-planner'), 'sandbox-weather', '0.20', 'Is it raining in 20 towns around Porto?');
  const refused = await say(agent('travel-planner'), 'flight-prices', '0.90', 'A better seat');
  await ask(client, agent);
  await agent('newsletter').client.get('/v1/agents/newsletter/balance');
  await client.post('/v1/agents/newsletter/kill');
  for (const { status, text } of [paid, refused])
    if (!text.includes('paymentId')) throw new Error(`${status} ${text}`);
  await until('all to be final', () => host.engine.context.store.transfers.open().length === 0);
  return {
    agents: made,
    paid: String(paid.body['paymentId']),
    refused: String(refused.body['details'].paymentId),
  };
};

/** Makes requests that wait for the owner, and a standing approval. */
const ask = async (client: Treasury['client'], agent: (agentId: string) => TestAgent): Promise<void> => {
  const reviewer = agent('code-reviewer');
  await client.post('/v1/agents/code-reviewer/policy', { approveAbove: '0.50', newPayees: 'approve' });
  const { body } = await say(reviewer, 'sandbox-weather', '0.60', 'Test data for the forecasts: 60 cities');
  const { body: shown } = await client.get(`/v1/approvals/${String(body['approvalId'])}`);
  const until7Days = new Date(Date.now() + 7 * dayMs).toISOString();
  await client.post(`/v1/approvals/${String(body['approvalId'])}/grant`, {
    hash: shown['hash'],
    standing: { upTo: '2.00', until: until7Days },
  });
  await say(
    reviewer,
    'code-review',
    '0.75',
    'The change to the payment code is large, and I want a second opinion before I approve it.',
  );
  const scout = agent('research-scout');
  await scout.client.post('/v1/agents/research-scout/policy', { dailyBudget: '8.00', maxPerPayment: '0.25' });
  await scout.client.post('/v1/agents/research-scout/allocate', { amount: '25.00' });
  await client.post('/v1/logins', { terminal: 'maker on workstation' }, { token: null, owner: null });
};
