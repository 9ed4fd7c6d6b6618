// The allowance of a cold treasury, set through the treasury: built here, signed by the cold wallet, followed until final.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sentOrders } from '../../server/engine/domain/allowance-orders.ts';
import { formatUsdc, usdc } from '../../server/money.ts';
import { createColdWallet, type ColdWallet } from '../harness/chain/cold-wallet.ts';
import { deploy, openTreasury, until, type Treasury } from '../harness/treasury.ts';

const one = 1_000_000n;
let treasury: Treasury;
let cold: ColdWallet;

beforeAll(async () => {
  treasury = await openTreasury();
  await deploy(treasury.client, 'scout', { allocate: null });
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

/** Sends it, and keeps it from the chain; returns what lets it land. */
const stuck = async (allowance: string): Promise<() => Promise<void>> => {
  const { chain } = context();
  const { broadcast } = chain;
  const transaction = await signed(allowance);
  const wire = Buffer.from(transaction, 'base64');
  // The others reach the chain.
  chain.broadcast = async (other) => {
    if (!wire.equals(other)) await broadcast(other);
  };
  expect((await post('cold/allowance/send', { transaction })).status).toBe(200);
  return async () => {
    chain.broadcast = broadcast;
    await broadcast(wire);
  };
};

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
    let looks = 0;
    chain.sightings = async (signatures) => {
      const { slot, found } = await sightings(signatures);
      if (found.some((seen) => seen !== null)) looks += 1;
      return { slot, found: found.map((seen) => seen && { ...seen, commitment: 'confirmed' }) };
    };
    await post('cold/allowance/send', { transaction: await signed('8') });
    // By the second look, the first has had its effect.
    await until('it to be seen twice', () => looks > 1);
    expect((await cold.account()).allowance).toBe(8n * one);
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
    const order = { address: cold.address, allowance: usdc(400n * one), lifetime, salt: 0 };
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
      body: { error: expect.stringContaining('A draw on the cold wallet is still pending') },
    });
    chain.broadcast = broadcast;
    for (const { signed: kept } of store.transfers.open()) if (kept !== null) await broadcast(kept.wire);
    expect((await draw).status).toBe(200);
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

describe('an allowance that was sent and may still land', () => {
  it('keeps another from being set, draws from being made, and the wallet from being given up', async () => {
    await cold.revoke();
    const land = await stuck('300');
    expect((await post('cold/allowance', { allowance: '50' })).body['error']).toBe(
      'An allowance of 300.00 USDC was signed and may still land, for about a minute. Revoke it now, or try again when it is decided.',
    );
    expect((await allocate('1.00')).body['error']).toContain('is being changed');
    expect((await treasury.client.call('DELETE', '/v1/cold')).status).toBe(409);
    const other = await createColdWallet(treasury.host.rpcUrl, 0n);
    expect((await post('cold', { address: other.address })).status).toBe(409);
    await land();
    await become('final');
    expect(await cold.account()).toMatchObject({ allowance: 300n * one });
  });

  it('can be revoked at once, and nothing is told as revoked while it may land', async () => {
    const land = await stuck('400');
    const transaction = await signed('0');
    expect((await post('cold/allowance/send', { transaction })).status).toBe(200);
    await until('the revocation', () => sentOrders(context().store).at(-1)?.state === 'final');
    expect(await become('sent')).toMatchObject({ allowance: '0.00', earlier: '400.00' });
    await land();
    expect(await become('overtaken')).toMatchObject({ allowance: '0.00', earlier: null });
    expect((await treasury.client.get('/v1/cold')).body['cold'].allowance).toBe('400.00');
  });

  it('is told as revoked once it came too late', async () => {
    const { chain } = context();
    const { broadcast, finalizedHeight } = chain;
    await stuck('400');
    await post('cold/allowance/send', { transaction: await signed('0') });
    await until('the revocation', async () => (await cold.account()).delegate === null);
    chain.finalizedHeight = async () => Number.MAX_SAFE_INTEGER;
    expect(await become('final')).toMatchObject({ allowance: '0.00', earlier: null });
    Object.assign(chain, { broadcast, finalizedHeight });
  });
});

describe('two pages', () => {
  it('each pause draws for themselves', async () => {
    await post('cold/pause', { paused: true, page: 'one' });
    await post('cold/pause', { paused: true, page: 'two' });
    await post('cold/pause', { paused: false, page: 'two' });
    expect((await allocate('1.00')).body['error']).toContain('is being changed');
    await post('cold/pause', { paused: false, page: 'one' });
    expect((await allocate('1.00')).status).toBe(200);
  });

  it('may prepare one each, and the first may sign', async () => {
    const transaction = await signed('6');
    await signed('7');
    expect((await post('cold/allowance/send', { transaction })).status).toBe(200);
    expect(await become('final')).toMatchObject({ allowance: '6.00' });
  });

  it('do not sign for an allowance that is not what was shown', async () => {
    const transaction = await signed('50');
    await post('cold/pause', { paused: false });
    expect((await allocate('5.00')).status).toBe(200);
    expect(await post('cold/allowance/send', { transaction })).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('was 5.00 USDC when you were shown it, and is 0.00 USDC now') },
    });
    expect(await cold.account()).toMatchObject({ allowance: 0n });
  });
});
