// Refusals beyond a burst are counted, not stored one by one; their keys stay refused, and payable requests are paid.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../harness/http-client.ts';
import { refusalOf } from '../../server/contract/refusals/refused-transfer.ts';
import { allowDelegation, delegate } from '../http/limits/slices.ts';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';

const inFull = 60;
const minute = 60_000;
let wall = Date.now();
let up = 0;
const pass = (ms: number): void => {
  wall += ms;
  up += ms;
};
let treasury: Treasury;
beforeAll(async () => {
  treasury = await openTreasury({ sockets: 64, clock: { wall: () => wall, monotonic: () => up } });
});
afterAll(() => treasury.close());

const store = () => treasury.host.engine.context.store;
const rowsOf = ({ agentId }: TestAgent) => [...store().transfers.iterate({ agentId, kinds: ['payment'] })];
/** Requests that the same rule refuses, no two of them equal. */
const flood = (agent: TestAgent, count: number, key: (n: number) => string | null): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: count }, (_, n) => {
      const named = key(n);
      return agent.pay(`2.${String(n).padStart(6, '0')}`, named === null ? {} : { key: named });
    }),
  );

describe('an agent that is refused again and again', () => {
  it('has a row for each of the first sixty in a minute, and one that counts the others', async () => {
    const agent = await deploy(treasury.client, 'flooder');
    const answers = await flood(agent, 300, () => null);
    expect(new Set(answers.map(({ status, body }) => `${status} ${body['code']}`))).toEqual(
      new Set(['402 max_per_payment']),
    );
    expect(rowsOf(agent)).toHaveLength(inFull + 1);
    const [counting] = rowsOf(agent);
    expect(store().refusals.counted(counting?.id ?? '')).toBe(300 - inFull - 1);
    const { body } = await treasury.client.get('/v1/activity?limit=1');
    expect(body['entries'][0]).toMatchObject({ id: counting?.id, status: 'denied', counted: 239 });
    expect(body['entries'][0].failure.message).toContain('only counted');
    const totals = await treasury.client.get('/v1/activity/totals?agentId=flooder&by=agent');
    expect(totals.body).toMatchObject({
      payments: 0,
      flows: { refused: { count: 300 } },
      rows: [{ key: 'flooder', refused: { count: 300 } }],
    });
  });

  it('has a row for each again after a minute, and another that counts after ten minutes', async () => {
    const agent = await deploy(treasury.client, 'patient');
    await flood(agent, inFull + 1, () => null);
    const counting = rowsOf(agent).find(({ refusal }) => refusal?.details['counted'] === true)?.id ?? '';
    pass(minute - 1);
    await flood(agent, 1, () => null);
    expect([rowsOf(agent).length, store().refusals.counted(counting)]).toEqual([inFull + 1, 1]);
    pass(1);
    await flood(agent, inFull, () => null);
    expect([rowsOf(agent).length, store().refusals.counted(counting)]).toEqual([2 * inFull + 1, 1]);
    pass(9 * minute - 1);
    await flood(agent, inFull + 1, () => null);
    expect([rowsOf(agent).length, store().refusals.counted(counting)]).toEqual([3 * inFull + 1, 2]);
    pass(1);
    await flood(agent, 1, () => null);
    expect([rowsOf(agent).length, store().refusals.counted(counting)]).toEqual([3 * inFull + 2, 2]);
  });

  it('is told of each request what refuses it now, and not what refused the one that counts', async () => {
    const agent = await deploy(treasury.client, 'told', { dailyBudget: '100' });
    const asOwner = async (path: string, body: object): Promise<Answer['body']> => {
      const answer = await treasury.client.post(`/v1/${path}`, body);
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.body;
    };
    await flood(agent, inFull + 2, () => null);
    await asOwner('agents/told/policy', { maxPerPayment: '3' });
    expect((await agent.pay('4')).body).toMatchObject({
      error: expect.stringContaining('4.00 USDC is more than the 3.00 USDC'),
      details: { limit: '3.00', amount: '4.00', counted: true },
    });

    const { groupId } = await asOwner('groups', { name: 'Frugal', limits: { maxPerPayment: '0.05' } });
    await asOwner('agents/told/group', { groupId });
    for (let n = 0; n < 2; n += 1)
      expect((await agent.pay('0.5')).body['details'].node).toEqual({ kind: 'group' });
    // Counted apart from those of its own limit: each entry stands for one reason.
    const counting = rowsOf(agent).filter(({ refusal }) => refusal?.details['counted'] === true);
    expect(counting.map(({ id }) => store().refusals.counted(id))).toEqual([1, 2]);

    await asOwner('agents/told/group', { groupId: null });
    await asOwner('agents/told/policy', { cooldownSeconds: 2 });
    expect((await agent.pay('0.01')).status).toBe(200);
    await agent.pay('0.01');
    pass(2_000);
    expect((await agent.pay('0.01')).status).toBe(200);
    const { retryAt } = (await agent.pay('0.01')).body['details'];
    expect(retryAt).toBe(new Date(treasury.host.engine.context.time.now() + 2_000).toISOString());
  });

  it('is not offered more today by an entry that counts, whose amount is not that of the others', async () => {
    const agent = await deploy(treasury.client, 'boosted', { dailyBudget: '0.10' });
    for (let n = 0; n <= inFull; n += 1) await agent.pay('0.20');
    const { paymentId } = (await agent.pay('0.90')).body['details'];
    const boost = await treasury.client.post(`/v1/transfers/${paymentId}/boost`, {});
    expect([boost.status, boost.body['error']]).toEqual([409, expect.stringContaining('many refusals')]);
    const entry = (await treasury.client.get(`/v1/transfers/${paymentId}`)).body;
    expect(entry).toMatchObject({ counted: 1, failure: { details: { counted: true } } });
    expect(refusalOf(entry as never, () => 'Boosted')?.remedies).toEqual([]);
    const full = rowsOf(agent).at(-1)?.id;
    expect((await treasury.client.post(`/v1/transfers/${full}/boost`, {})).status).toBe(200);
  });

  it('has no further rows by keys that it delegates, each of which is told its own refusals alone', async () => {
    const agent = await deploy(treasury.client, 'delegator');
    await allowDelegation(treasury.client, 'delegator');
    const expiresAt = new Date(wall + 60 * minute).toISOString();
    const wanted = { label: 'a task', expiresAt, dailyBudget: '0.10', maxPerPayment: '1' };
    const slices = await Promise.all(
      Array.from({ length: 60 }, () => delegate(agent.client, 'delegator', wanted)),
    );
    const answers = await Promise.all(
      slices.flatMap((slice) => Array.from({ length: 9 }, (_, n) => slice.pay(amountOf(n)))),
    );
    // A row in full each, or the first of its reason; then no key has a row, and no answer names another's.
    expect(rowsOf(agent)).toHaveLength(2 * inFull);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([402, 429]));
    const counting = new Map(rowsOf(agent).map(({ id, keyPath }) => [id, keyPath.at(-1)]));
    for (const [at, { status, body }] of answers.entries()) {
      if (status === 429) continue;
      expect(counting.get(body['details'].paymentId)).toBe(slices[Math.floor(at / 9)]?.keyId);
      expect(body['error']).toContain(amountOf(at % 9));
    }
    // Payable requests are not slowed, whatever the refusals.
    expect((await slices.at(-1)?.pay('0.01'))?.status).toBe(200);
  });

  it('can still pay what the policy allows', async () => {
    const agent = await deploy(treasury.client, 'payer');
    const flooding = flood(agent, 200, () => null);
    const paid = await Promise.all(Array.from({ length: 10 }, () => agent.pay('0.01')));
    expect(paid.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    await flooding;
  });

  it('keeps every key refused, by the same rule for ever, even once the policy allows it', async () => {
    const agent = await deploy(treasury.client, 'keyed');
    const answers = await flood(agent, 200, (n) => `key ${n}`);
    expect(store().refusals.keysOf('keyed')).toBe(200 - inFull - 1);
    await treasury.client.post('/v1/agents/keyed/policy', { maxPerPayment: '5' });
    const again = await flood(agent, 200, (n) => `key ${n}`);
    // They came at once, in any order.
    const inWhole = answers.flatMap(({ body }, n) => (body['details'].counted === true ? [] : [n]));
    expect(inWhole).toHaveLength(inFull);
    const told = (all: Answer[]) => inWhole.map((n) => all[n]?.text);
    expect([told(again), rules(again)]).toEqual([told(answers), rules(answers)]);
    // Neither this limit nor this amount is stored, and those of the row that counts are another request's.
    expect(again.at(-1)?.body).toMatchObject({ details: { counted: true, paymentId: expect.anything() } });
    expect(again.at(-1)?.body['error']).toContain('refused before (max_per_payment)');
    expect(rowsOf(agent)).toHaveLength(inFull + 1);
    const other = await agent.pay('0.01', { key: 'key 199' });
    expect([other.status, other.body['code']]).toEqual([409, 'idempotency_conflict']);
    expect((await agent.pay('2', { key: 'new' })).status).toBe(200);
  });

  it('shares no key with another agent that is refused the same request under the same key', async () => {
    const [one, other] = [await deploy(treasury.client, 'one'), await deploy(treasury.client, 'other')];
    for (const agent of [one, other]) {
      const answers = await flood(agent, 100, (n) => `shared ${n}`);
      expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(402));
      const own = new Set(rowsOf(agent).map(({ id }) => id));
      expect(answers.filter(({ body }) => !own.has(body['details'].paymentId))).toEqual([]);
    }
    const third = await deploy(treasury.client, 'third');
    expect((await third.pay('0.01', { key: 'shared 99' })).status).toBe(200);
  });

  it('gets 429, which is not stored, when its refused keys fill their room', async () => {
    const agent = await deploy(treasury.client, 'hoarder');
    const { refusals } = store();
    const { keysOf } = refusals;
    refusals.keysOf = () => 2_000_000;
    const refused = await agent.pay('2', { key: 'late' });
    expect([refused.status, refused.body['code']]).toEqual([429, 'too_many_requests']);
    expect((await agent.pay('2')).status).toBe(402);
    expect((await agent.pay('0.01', { key: 'payable' })).status).toBe(200);
    refusals.keysOf = keysOf;
    expect((await agent.pay('0.02', { key: 'late' })).status).toBe(200);
  });

  it('does not fold the owner’s requests', async () => {
    const agent = await deploy(treasury.client, 'owners');
    const body = { service: 'sandbox-weather', amount: '2', currency: 'USDC' };
    for (let n = 0; n < 70; n += 1) await treasury.client.post('/v1/agents/owners/pay', body);
    expect(rowsOf(agent)).toHaveLength(70);
  });
});

/** Refused by two rules in turn. */
const amountOf = (n: number): string => `${n % 2 === 0 ? '2.0' : '0.5'}00${n + 1}`;

const rules = (answers: readonly Answer[]): string[] =>
  answers.map(({ status, body }) => `${status} ${body['code']}`);

const change = (client: Treasury['client'], n: number): Promise<Answer> =>
  client.post('/v1/agents/restless/policy', { dailyBudget: `4.${String(900 - n)}` });

describe('an agent that changes itself again and again', () => {
  it('gets no new version for a policy that stays as it is', async () => {
    const agent = await deploy(treasury.client, 'same');
    const { policies, journal } = store();
    const { version } = policies.get('same');
    const head = journal.head().seq;
    for (let n = 0; n < 5; n += 1)
      expect((await agent.client.post('/v1/agents/same/policy', { dailyBudget: '5.0' })).status).toBe(200);
    expect((await agent.client.post('/v1/agents/same/rename', { displayName: 'same' })).status).toBe(200);
    expect([policies.get('same').version, journal.head().seq]).toEqual([version, head]);
  });

  it('may make sixty changes in a minute; the owner may make any number', async () => {
    const agent = await deploy(treasury.client, 'restless');
    const statuses: number[] = [];
    for (let n = 0; n < 70; n += 1) statuses.push((await change(agent.client, n)).status);
    expect([statuses.filter((one) => one === 200).length, statuses.at(-1)]).toEqual([60, 429]);
    for (let n = 100; n < 170; n += 1) expect((await change(treasury.client, n)).status).toBe(200);
  });
});
