// The books over HTTP: rules with their order and preview, months, and sums beside the month before.
import { beforeAll, describe, expect, it } from 'vitest';
import { client, newWallet, payer, settled, treasury, useTreasury } from './api-treasury.ts';
import { deploy } from '../harness/treasury.ts';

useTreasury();

let month: string;
beforeAll(async () => {
  const other = await deploy(client, 'other');
  for (const amount of ['0.5', '0.25']) await payer.pay(amount);
  await other.pay('0.125');
  await client.post('/v1/agents/payer/recall', { amount: '1' });
  await client.post('/v1/treasury/withdraw', { asset: 'USDC', to: newWallet(), amount: '3' }, { key: 'out' });
  await settled();
  month = (await client.get('/v1/books/months')).body['months'][0].month;
});

const rules = async () => (await client.get('/v1/books/rules')).body['rules'];
const add = async (body: object) => (await client.post('/v1/books/rules', body)).body;
const clear = async (): Promise<void> => {
  for (const { ruleId } of await rules()) await client.call('DELETE', `/v1/books/rules/${ruleId}`);
};
const totals = async () => (await client.get(`/v1/books/months/${month}/totals`)).body;

describe('rules', () => {
  it('are tried in their order, and can be added at a place, changed, moved and removed', async () => {
    const first = await add({ serviceId: 'sandbox-weather', account: 'Expenses:Weather' });
    const second = await add({ agentId: 'other', account: 'Expenses:Research', costCentre: 'R&D', rank: 0 });
    expect((await rules()).map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual([
      second.ruleId,
      first.ruleId,
    ]);
    const sums = (await totals())['now'];
    expect(sums.accounts).toContainEqual({ name: 'Expenses:Weather', amount: '0.75', entries: 2 });
    expect(sums.accounts).toContainEqual({ name: 'Expenses:Research', amount: '0.125', entries: 1 });
    // The withdrawal and the deposit have no cost centre, and are in no row.
    expect(sums.costCentres).toEqual([
      { name: '', amount: '0.75', entries: 2 },
      { name: 'R&D', amount: '0.125', entries: 1 },
    ]);

    const changed = await client.post(`/v1/books/rules/${second.ruleId}`, { rank: 1, costCentre: null });
    expect(changed.body).toMatchObject({ agentId: 'other', account: 'Expenses:Research', costCentre: null });
    expect((await totals())['now'].accounts).toContainEqual({
      name: 'Expenses:Weather',
      amount: '0.875',
      entries: 3,
    });

    await client.call('DELETE', `/v1/books/rules/${first.ruleId}`);
    expect((await client.post(`/v1/books/rules/${first.ruleId}`, { rank: 0 })).status).toBe(404);
    expect((await totals())['now'].accounts).toContainEqual({
      name: 'Expenses:Research',
      amount: '0.125',
      entries: 1,
    });
    await clear();
  });

  it('show before they are added what they would catch, and what an earlier one takes', async () => {
    const { ruleId } = await add({ agentId: 'other', account: 'Expenses:Research' });
    const { body } = await client.post('/v1/books/rules/preview', { serviceId: 'sandbox-weather' });
    expect(body).toMatchObject({
      amount: '0.75',
      entries: 2,
      taken: [{ ruleId, amount: '0.125', entries: 1 }],
    });
    expect(body['examples'].map(({ amount, takenBy }: never) => [amount, takenBy])).toEqual([
      ['0.125', ruleId],
      ['0.25', null],
      ['0.50', null],
    ]);
    const above = await client.post('/v1/books/rules/preview', { serviceId: 'sandbox-weather', rank: 0 });
    expect(above.body).toMatchObject({ amount: '0.875', entries: 3, taken: [] });
    await clear();
  });

  it.each<[string, object, RegExp]>([
    [
      'without a condition',
      { account: 'Expenses:X' },
      /^payee: or serviceId, origin, agentId or groupId must be given/,
    ],
    [
      'with a misspelt agent',
      { agentId: 'payre', account: 'Expenses:X' },
      /^agentId: there is no agent payre/,
    ],
    [
      'with a group that is not there',
      { groupId: 'grp_1', account: 'Expenses:X' },
      /^groupId: there is no group grp_1/,
    ],
  ])('%s are refused by the name of the field, and nothing is changed', async (_, body, error) => {
    const answer = await client.post('/v1/books/rules', body);
    expect([answer.status, answer.body['error']]).toEqual([400, expect.stringMatching(error)]);
    expect(await rules()).toEqual([]);
  });

  it('keep a condition: the last one is not removed by a change', async () => {
    const { ruleId } = await add({ agentId: 'payer', account: 'Expenses:X' });
    const answer = await client.post(`/v1/books/rules/${ruleId}`, { agentId: null });
    expect(answer.status).toBe(400);
    expect((await rules())[0]).toMatchObject({ agentId: 'payer' });
    await clear();
  });
});

describe('a month in sums', () => {
  it('tells spending apart from own transfers, deposits and withdrawals', async () => {
    const { now, before, zone } = await totals();
    expect(zone).toBe(treasury.host.engine.context.store.policies.zone());
    expect(now).toMatchObject({
      spent: { amount: '0.875', entries: 3 },
      deposits: { amount: '1000.00', entries: 1 },
      withdrawals: { amount: '3.00', entries: 1 },
      transfers: { amount: '61.00', entries: 3 },
      agents: [
        { agentId: 'payer', amount: '0.75', entries: 2 },
        { agentId: 'other', amount: '0.125', entries: 1 },
      ],
      services: [{ serviceId: 'sandbox-weather', name: 'Sandbox Weather', amount: '0.875', entries: 3 }],
    });
    expect(before.spent).toEqual({ amount: '0.00', entries: 0 });
    const { text } = await client.get(`/v1/books?format=spreadsheet&from=${month}-01`);
    const ofFees = text.split('\n').filter((line) => /^[^,]+\.(fee|rent),/.test(line));
    expect(now.fees.entries).toBe(ofFees.length);
    // Two signatures where an agent pays, one where the treasury does; the rent of the new wallet and of two agents.
    expect(Number(now.fees.amount)).toBeGreaterThan(0.00005);
  });

  it.each(['2026-13', '2026-1', 'last', '1999-01'])('called %s is not found or not a month', async (name) => {
    const { status } = await client.get(`/v1/books/months/${name}/totals`);
    expect([400, 404]).toContain(status);
  });
});
