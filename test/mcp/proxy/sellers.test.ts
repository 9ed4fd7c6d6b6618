// Paid MCP servers of official make, behind the proxy: x402 with both of its bindings, and MPP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../../harness/audit.ts';
import { instantly, until } from '../../harness/treasury.ts';
import { debitsOf } from '../chain.ts';
import { allow, call, openMarket, pendingOf, register, textOf, type Market } from './market.ts';
import type { Line, Wire } from './wire.ts';

let market: Market;
let x402: Wire;
let mpp: Wire;
beforeAll(async () => {
  market = await openMarket(instantly);
  x402 = await market.open('weather', market.x402);
  mpp = await market.open('mpp', market.mpp);
}, 600_000);
afterAll(async () => {
  await Promise.all([x402.end(), mpp.end()]);
  await market.close();
});

const debits = () => debitsOf(market.sandbox.rpcUrl, market.agent.wallet);
const settled = () =>
  until(
    'everything to be final',
    () => market.treasury.host.engine.context.store.transfers.open().length === 0,
  );

describe('an x402 server that was not registered', () => {
  it('answers what is free, and is not paid: the host is told the command that registers it', async () => {
    expect(textOf(await call(x402, 'free'))).toBe('{"free":true}');
    const refused = await call(x402, 'weather', { city: 'Lisbon' });
    expect(refused['result'].isError).toBe(true);
    expect(textOf(refused)).toContain('treasury mcp add weather -- COMMAND');
    expect(await debits()).toEqual([]);
  });
});

describe('a registered x402 server', () => {
  beforeAll(() => register(market, 'weather', market.x402));

  it('is paid once the owner has seen its payee, which is then pinned', async () => {
    const asking = call(x402, 'weather', { city: 'Lisbon' }, { 'test/own': 7 });
    const shown = await allow(market);
    expect(shown).toMatchObject({
      because: 'payee_changed',
      saidByAgent: true,
      service: 'mcp:weather',
      serviceName: 'weather, as the agent says',
      payee: market.payee,
      amount: '0.01',
      description: 'tools/call weather',
    });
    const answer = await asking;
    expect(JSON.parse(textOf(answer))).toMatchObject({ city: 'Lisbon', mine: 7 });
    expect(answer['result']._meta['x402/payment-response']).toMatchObject({ success: true });
    expect(await debits()).toMatchObject([{ amount: 10_000n, to: [market.payee] }]);
    const { body } = await market.treasury.client.get('/v1/services/search?q=weather');
    const listed = (body as { results: Line[] }).results.find(({ id }) => id === 'mcp:weather');
    expect(listed).toMatchObject({ payees: [market.payee], addedByOwner: true });
  });

  it('is then paid without asking, and each call is a payment of its own', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => call(x402, 'weather', { city: 'Porto' })));
    for (const answer of answers) expect(JSON.parse(textOf(answer))).toMatchObject({ city: 'Porto' });
    expect(await pendingOf(market)).toBeUndefined();
    expect(await debits()).toHaveLength(4);
  });
});

describe('an MPP server', () => {
  beforeAll(() => register(market, 'mpp', market.mpp));

  it.each([
    ['push', 10_000n],
    ['pull', 20_000n],
  ])('is paid by its challenge: %s', async (tool, units) => {
    const before = await debits();
    const asking = call(mpp, tool);
    if (tool === 'push') await allow(market);
    const answer = await asking;
    expect(textOf(answer), mpp.stderr()).toMatch(/answered/);
    expect(JSON.parse(textOf(answer))).toMatchObject({ answered: expect.any(Number) });
    expect(answer['result']._meta['org.paymentauth/receipt']).toMatchObject({ status: 'success' });
    const [newest, ...others] = await debits();
    expect(newest).toMatchObject({ amount: units, to: [market.recipient] });
    expect(others).toEqual(before);
  });
});

it('leaves the books in order', async () => {
  await settled();
  expect(clean(await audit(market.treasury.host))).toEqual(allWell);
});
