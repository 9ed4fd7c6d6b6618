// The watch in T1: what it tells, holds and pauses, and what ends that.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';
import type { Answer } from '../harness/http-client.ts';

const minuteMs = 60_000;
const start = Date.UTC(2026, 4, 20, 12);
let now = start;

let treasury: Treasury;
let agent: TestAgent;
let made = 0;

beforeAll(async () => {
  treasury = await openTreasury({ clock: { wall: () => now, monotonic: () => now - start } });
});
afterAll(() => treasury.close());

/** A new agent: with no history, more than 0.75 of 1.00 in an hour trips `fast_spending`. */
beforeEach(async () => {
  made += 1;
  agent = await deploy(treasury.client, `agent-${made}`, { dailyBudget: '1.00', allocate: '2.00' });
});

const pathOf = (rest = ''): string => `/v1/agents/${agent.agentId}/watch${rest}`;
const choose = (mode: string): Promise<Answer> => treasury.client.post(pathOf(), { mode });
const watch = async () => (await treasury.client.get(pathOf())).body;
const say = (word: 'normal' | 'usual'): Promise<Answer> => treasury.client.post(pathOf(`/${word}`), {});
/** Waits for the chain, and not for the owner. */
const pay = async (amount: string): Promise<Answer> => {
  const key = randomUUID();
  const first = await agent.pay(amount, { key, prefer: 'wait=0' });
  return first.body['status'] === 'pending' ? agent.pay(amount, { key, prefer: 'wait=10' }) : first;
};
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);
const stateOf = async (): Promise<string> => {
  const { agents } = (await treasury.client.get('/v1/agents')).body;
  return agents.find(({ agentId }: { agentId: string }) => agentId === agent.agentId).status;
};
const pending = async () => {
  const { approvals } = (await treasury.client.get('/v1/approvals')).body;
  return approvals.filter(
    (one: { agentId: string; status: string }) => one.agentId === agent.agentId && one.status === 'pending',
  );
};
const grant = async (): Promise<Answer> => {
  const [approval] = await pending();
  return treasury.client.post(`/v1/approvals/${approval.approvalId}/grant`, { hash: approval.hash });
};
const explain = (amount: string): Promise<Answer> =>
  agent.client.post(`/v1/agents/${agent.agentId}/policy/explain`, { service: 'sandbox-weather', amount });
const sentence =
  'It asks for 0.80 USDC in an hour, 80% of its daily budget. There is too little history to know what is usual.';

describe('an agent for which nothing was chosen', () => {
  it('is told about, and nothing is held', async () => {
    const answers = [await pay('0.40'), await pay('0.40'), await pay('0.10')];
    expect(statuses(answers)).toEqual([200, 200, 200]);
    const seen = await watch();
    expect(seen).toMatchObject({ mode: 'tell', asking: null, mutes: [] });
    expect(seen.trips).toMatchObject([{ rule: 'fast_spending', service: '', did: 'told', sentence }]);
  });

  it('is not looked at where it is off, and its sums are kept all the same', async () => {
    await choose('off');
    await pay('0.40');
    expect(statuses([await pay('0.40')])).toEqual([200]);
    expect((await watch()).trips).toEqual([]);
    await choose('ask');
    expect(statuses([await pay('0.01')])).toEqual([202]);
  });
});

describe('asking', () => {
  beforeEach(() => choose('ask'));

  it('holds the payment that trips, and all that follow, with the sentence', async () => {
    await pay('0.40');
    expect(statuses([await pay('0.40'), await pay('0.001'), await pay('0.001')])).toEqual([202, 202, 202]);
    expect(await watch()).toMatchObject({ asking: { trip: { sentence, did: 'asked' } } });
    const shown = (await pending()).map((one: { shown: object }) => one.shown);
    expect(shown[0]).toMatchObject({ because: 'watch', watch: sentence });
    expect(shown).toHaveLength(3);
    const [{ approvalId }] = await pending();
    expect((await agent.client.get(`/v1/approvals/${approvalId}`)).body['shown'].watch).toBe(sentence);
  });

  it('is not ended by one approval', async () => {
    await pay('0.40');
    const held = await pay('0.40');
    expect((await grant()).status).toBe(200);
    expect((await watch()).asking).not.toBe(null);
    const paid = await agent.client.get(`/v1/agents/${agent.agentId}/payments/${held.body['paymentId']}`);
    expect(['confirmed', 'pending']).toContain(paid.body['status']);
    expect(statuses([await pay('0.001')])).toEqual([202]);
    expect((await watch()).trips).toHaveLength(1);
  });

  it('is ended by the owner’s word that all is back to usual, and begins again', async () => {
    await pay('0.40');
    await pay('0.40');
    expect((await say('usual')).body).toMatchObject({ asking: null, mutes: [] });
    expect(statuses([await pay('0.01')])).toEqual([200]);
    expect(statuses([await pay('0.40')])).toEqual([202]);
  });

  it('is ended by the owner’s word that it is normal, which mutes the rule for thirty days', async () => {
    await pay('0.40');
    await pay('0.40');
    const { body } = await say('normal');
    expect(body).toMatchObject({ asking: null, mutes: [{ rule: 'fast_spending', service: '' }] });
    expect(Date.parse(body['mutes'][0].until) - Date.parse(body['mutes'][0].since)).toBe(30 * 86_400_000);
    expect(statuses([await pay('0.40')])).toEqual([200]);
    await treasury.client.post(pathOf('/unmute'), { rule: 'fast_spending' });
    expect(statuses([await pay('0.01')])).toEqual([202]);
    expect((await treasury.client.post(pathOf('/unmute'), { rule: 'fast_spending' })).status).toBe(404);
  });

  it('turns into a pause when another burst follows within half an hour', async () => {
    await pay('0.40');
    await pay('0.40');
    now += 6 * minuteMs;
    const last = await pay('0.40');
    expect([last.status, last.body['code']]).toEqual([403, 'suspended']);
    expect(last.body['error']).toContain('The watch paused this agent.');
    expect(await stateOf()).toBe('suspended');
    expect((await watch()).trips.map(({ did }: { did: string }) => did)).toEqual(['paused', 'asked']);
    expect(await pending()).toEqual([]);
  });

  it('does not turn into a pause by the same burst, nor after half an hour', async () => {
    await pay('0.40');
    await pay('0.40');
    await pay('0.40');
    expect(await stateOf()).toBe('active');
    now += 31 * minuteMs;
    await pay('0.40');
    expect(await stateOf()).toBe('active');
  });

  it('counts requests that are turned away because three wait already', async () => {
    await pay('0.40');
    for (let time = 0; time < 3; time += 1) await pay('0.40');
    const turnedAway = [];
    for (let time = 0; time < 30; time += 1) turnedAway.push(await pay('0.40'));
    expect(new Set(statuses(turnedAway.slice(0, 29)))).toEqual(new Set([429]));
    expect((await watch()).trips[0]).toMatchObject({ rule: 'refusals', did: 'paused' });
    expect(await stateOf()).toBe('suspended');
  });

  it('lets none of sixteen concurrent payments slip through beyond the threshold', async () => {
    const answers = await Promise.all(Array.from({ length: 16 }, () => pay('0.06')));
    expect(statuses(answers).toSorted()).toEqual([...Array(12).fill(200), 202, 202, 202, 429]);
  });

  it('is no case for a standing approval', async () => {
    await pay('0.40');
    await pay('0.40');
    const [approval] = await pending();
    await treasury.client.post(`/v1/approvals/${approval.approvalId}/grant`, {
      hash: approval.hash,
      standing: { upTo: '5', until: new Date(now + 86_400_000).toISOString() },
    });
    expect(statuses([await pay('0.01')])).toEqual([202]);
  });

  it('is told by a dry run, which changes nothing', async () => {
    await pay('0.40');
    expect((await explain('0.40')).body).toMatchObject({
      verdict: 'approval',
      code: 'watch',
      message: `The watch asks the owner. ${sentence}`,
    });
    expect(await watch()).toMatchObject({ asking: null, trips: [] });
    expect((await explain('0.01')).body['verdict']).toBe('allowed');
  });
});

describe('pausing', () => {
  beforeEach(() => choose('pause'));

  it('suspends the agent at the payment that trips, which is refused', async () => {
    await pay('0.40');
    const last = await pay('0.40');
    expect([last.status, last.body['code']]).toEqual([403, 'suspended']);
    expect(last.body['error']).toContain(sentence);
    expect(await stateOf()).toBe('suspended');
    expect((await watch()).trips).toMatchObject([
      { did: 'paused', paymentId: last.body['details'].paymentId },
    ]);
  });

  it('lets none of sixteen concurrent payments slip through', async () => {
    const answers = await Promise.all(Array.from({ length: 16 }, () => pay('0.06')));
    const { store } = treasury.host.engine.context;
    const rows = [...store.transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] })];
    const reserved = rows.filter(({ reservedAt }) => reservedAt !== null);
    expect(reserved.length).toBe(12);
    expect(statuses(answers).filter((status) => status === 403).length).toBeGreaterThanOrEqual(4);
  });
});

describe('refusals', () => {
  it('count for the watch when an agent makes them, and neither the owner’s nor a dry run’s', async () => {
    await choose('pause');
    for (let time = 0; time < 20; time += 1) {
      await treasury.client.post(`/v1/agents/${agent.agentId}/pay`, {
        service: 'sandbox-weather',
        amount: '9',
      });
      await agent.client.post(`/v1/agents/${agent.agentId}/policy/explain`, {
        service: 'sandbox-weather',
        amount: '9',
      });
    }
    for (let time = 0; time < 29; time += 1) expect((await pay('9')).status).toBe(402);
    expect(await stateOf()).toBe('active');
    await pay('9');
    expect(await stateOf()).toBe('suspended');
    expect((await watch()).trips).toMatchObject([
      { rule: 'refusals', sentence: '30 of its requests were refused within five minutes.' },
    ]);
  });
});

describe('the list', () => {
  it('has each agent, and what was seen of all, newest first and in pages', async () => {
    await pay('0.40');
    await pay('0.40');
    const { body } = await treasury.client.get('/v1/watch?limit=2');
    expect(body['agents'].find((one: { agentId: string }) => one.agentId === agent.agentId)).toMatchObject({
      mode: 'tell',
      asking: null,
      status: 'active',
    });
    expect(body['trips'][0].agentId).toBe(agent.agentId);
    expect(body['trips']).toHaveLength(2);
    const next = await treasury.client.get(`/v1/watch?limit=2&before=${body['trips'][1].cursor}`);
    expect(next.body['trips'][0].cursor).toBeLessThan(body['trips'][1].cursor);
  });

  it('is the owner’s alone', async () => {
    expect((await agent.client.get(pathOf())).status).toBe(403);
    expect((await agent.client.post(pathOf(), { mode: 'off' })).status).toBe(403);
  });

  it('tells what the watch would have seen in the last 30 days', async () => {
    await choose('off');
    await pay('0.40');
    await pay('0.40');
    const { body } = await treasury.client.get(pathOf('/preview'));
    expect(body).toMatchObject({
      days: 30,
      requests: 2,
      rules: [{ rule: 'fast_spending', bursts: 1 }],
      newest: [{ sentence }],
      truncated: false,
    });
  });
});

const delegate = async () => {
  await treasury.client.post(`/v1/agents/${agent.agentId}/delegation`, { allowed: true });
  const { body } = await agent.client.post(`/v1/agents/${agent.agentId}/delegated-keys`, {
    label: 'a task',
    expiresAt: new Date(now + 86_400_000).toISOString(),
    dailyBudget: '1.00',
  });
  return treasury.client.as(String(body['apiKey']));
};

describe('a delegated key that trips a rule', () => {
  it.each(['ask', 'pause'])('ends in place of its agent: %s', async (mode) => {
    await choose(mode);
    const [task, other] = [await delegate(), await delegate()];
    const path = `/v1/agents/${agent.agentId}/pay`;
    const order = { service: 'sandbox-weather', amount: '0.40', currency: 'USDC', description: 'x' };
    expect((await task.post(path, order)).status).toBe(200);
    const tripped = await task.post(path, order);
    expect([200, 202]).not.toContain(tripped.status);
    expect((await task.post(path, order)).body['code']).toBe('key_ended');
    expect(await watch()).toMatchObject({
      asking: null,
      trips: [{ rule: 'fast_spending', did: 'ended_key' }],
    });
    expect([await stateOf(), await pending()]).toEqual(['active', []]);
    expect(statuses([await pay('0.01'), await other.post(path, { ...order, amount: '0.01' })])).toEqual([
      200, 200,
    ]);
    // It goes on: now the agent itself has to bear it.
    const again = await pay('0.40');
    expect([again.status, await stateOf()]).toEqual(mode === 'ask' ? [202, 'active'] : [403, 'suspended']);
  });
});
