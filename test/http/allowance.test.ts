// The allowance of a cold treasury, set through the treasury: built here, signed by the cold wallet, followed until final.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatUsdc, usdc } from '../../server/money.ts';
import { createColdWallet, type ColdWallet } from '../harness/cold-wallet.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';

const one = 1_000_000n;
let treasury: Treasury;
let agent: TestAgent;
let cold: ColdWallet;

beforeAll(async () => {
  treasury = await openTreasury();
  agent = await deploy(treasury.client, 'scout', { allocate: null });
  cold = await createColdWallet(treasury.host.rpcUrl, 500n * one);
  await post('cold', { address: cold.address });
  // The treasury's own wallet holds nothing: every allocation is a draw.
  const own = (await treasury.client.get('/v1/dashboard')).body['treasury'].amount;
  const all = { to: cold.address, amount: formatUsdc(usdc(BigInt(own))), asset: 'USDC' };
  expect((await treasury.client.post('/v1/treasury/withdraw', all, { key: 'all' })).status).toBe(200);
});
afterAll(() => treasury.close());
beforeEach(async () => {
  await cold.allow(treasury.owner, 5n * one);
  await post('cold/pause', { paused: false });
});

const post = (path: string, body: object = {}) => treasury.client.post(`/v1/${path}`, body);
const context = () => treasury.host.engine.context;
const allocate = async (amount: string) => post('agents/scout/allocate', { amount });
/** What the owner's wallet makes of the transaction that sets this allowance. */
const signed = async (allowance: string): Promise<string> => {
  const { body } = await post('cold/allowance', { allowance });
  return Buffer.from(cold.sign(Buffer.from(String(body['transaction']), 'base64'))).toString('base64');
};
const become = (state: string) =>
  until(`it to be ${state}`, async () => {
    const { change } = (await treasury.client.get('/v1/cold/allowance')).body;
    return change?.state === state ? change : undefined;
  });

describe('a new allowance', () => {
  it('replaces the old one once it is final, and nothing is drawn until then', async () => {
    const { body } = await post('cold/allowance', { allowance: '50' });
    expect(body).toMatchObject({ address: cold.address, left: '5.00', allowance: '50.00' });
    expect((await allocate('1.00')).body['error']).toContain('is being changed');
    const transaction = await signed('50');
    expect((await post('cold/allowance/send', { transaction })).status).toBe(200);
    expect(await become('final')).toMatchObject({ allowance: '50.00' });
    expect(await cold.account()).toMatchObject({ allowance: 50n * one, delegate: treasury.owner });
    expect((await treasury.client.get('/v1/cold')).body['cold']).toMatchObject({
      allowance: '50.00',
      pausedUntil: null,
    });
  });

  it('is final only once the chain says so, and nothing is drawn before', async () => {
    const { chain } = context();
    const { sightings } = chain;
    chain.sightings = async (signatures) => {
      const { slot, found } = await sightings(signatures);
      return { slot, found: found.map((seen) => seen && { ...seen, commitment: 'confirmed' }) };
    };
    await post('cold/allowance/send', { transaction: await signed('8') });
    await until('it to be seen', async () => (await cold.account()).allowance === 8n * one);
    expect((await treasury.client.get('/v1/cold/allowance')).body['change'].state).toBe('sent');
    expect((await allocate('1.00')).body['error']).toContain('is being changed');
    chain.sightings = sightings;
    await become('final');
    expect((await allocate('1.00')).status).toBe(200);
  });

  it('is sent once, however often it is asked for', async () => {
    const transaction = await signed('7');
    const answers = [1, 2].map(() => post('cold/allowance/send', { transaction }));
    const [first, second] = (await Promise.all(answers)).map(({ body }) => body['change'].signature);
    expect(first).toBe(second);
    await become('final');
    expect(await cold.account()).toMatchObject({ allowance: 7n * one });
  });

  it('revokes when it is 0', async () => {
    await post('cold/allowance/send', { transaction: await signed('0') });
    await become('final');
    expect(await cold.account()).toMatchObject({ allowance: 0n, delegate: null });
  });

  it('is not sent when the wallet signed another amount', async () => {
    const { chain } = context();
    const lifetime = await chain.lifetime();
    const order = { address: cold.address, allowance: usdc(400n * one), lifetime };
    await signed('6');
    const other = Buffer.from(cold.sign(chain.buildAllowance(order))).toString('base64');
    const { status, body } = await post('cold/allowance/send', { transaction: other });
    expect([status, body['code']]).toEqual([409, 'conflict']);
    expect(body['error']).toContain('Your wallet changed the transaction');
    expect(await cold.account()).toMatchObject({ allowance: 5n * one });
  });

  it('is not begun while a draw is under way: it may be of the old one', async () => {
    const { chain, store } = context();
    const { broadcast } = chain;
    const lost = new Promise<void>((resolve) => {
      chain.broadcast = async () => resolve();
    });
    const draw = allocate('2.00');
    await lost;
    expect(await post('cold/allowance', { allowance: '50' })).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('A draw on the cold treasury is not decided yet') },
    });
    chain.broadcast = broadcast;
    for (const { signed: kept } of store.transfers.open()) if (kept !== null) await broadcast(kept.wire);
    expect((await draw).status).toBe(200);
  });

  it('is refused to every agent', async () => {
    for (const [method, path] of [
      ['POST', 'cold/allowance'],
      ['POST', 'cold/allowance/send'],
      ['POST', 'cold/pause'],
      ['GET', 'cold/allowance'],
    ] as const)
      expect((await agent.client.call(method, `/v1/${path}`)).status).toBe(403);
  });

  it('needs a cold wallet that can pay the network fee', async () => {
    const { chain } = context();
    const { lamports } = chain;
    chain.lamports = async () => 4_999n;
    const { status, body } = await post('cold/allowance', { allowance: '50' });
    chain.lamports = lamports;
    expect([status, body['error']]).toEqual([
      402,
      'The cold wallet pays the network fee, and holds 0.000004999 SOL. Send it a little SOL first.',
    ]);
  });

  it('is told to have come too late when no block took it in its lifetime', async () => {
    const { chain } = context();
    const { broadcast, finalizedHeight } = chain;
    const transaction = await signed('9');
    chain.broadcast = async () => {};
    await post('cold/allowance/send', { transaction });
    chain.finalizedHeight = async () => Number.MAX_SAFE_INTEGER;
    await become('expired');
    Object.assign(chain, { broadcast, finalizedHeight });
    expect(await cold.account()).toMatchObject({ allowance: 5n * one });
  });
});
