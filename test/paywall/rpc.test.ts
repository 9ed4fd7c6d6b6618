import { describe, expect, test } from 'vitest';
import { createRelay } from './relay.ts';
import { ask, closeServer, listen, openShop, quote, refused } from './seller.ts';
import { market, signed, useShop } from './use-shop.ts';

useShop();

describe('while the chain cannot be asked', () => {
  const rpcError = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32005, message: 'Node is behind' },
  });

  test.each<[string, (method: string) => [number, string] | 'drop' | null]>([
    ['closes the connection', () => 'drop'],
    ['answers 500', () => [500, 'no']],
    ['answers 429', () => [429, '{}']],
    ['answers with an error', () => [200, rpcError]],
    ['answers with HTML', () => [200, '<html>']],
    ['answers with another shape', () => [200, '{"jsonrpc":"2.0","id":1,"result":{"slot":1}}']],
    [
      'answers at great length',
      (method) => (method === 'getTransaction' ? [200, `{"result":null}${' '.repeat(3_000_000)}`] : null),
    ],
  ])('because it %s: 503, the receipt stays unspent, and is valid afterwards', async (_, fault) => {
    const { relay, url, close } = await createRelay(market.rpcUrl);
    const own = await openShop(market, { rpcUrl: url, now: Date.now });
    const header = signed(await market.buy({ invoice: await quote(own.forecast) }));
    relay.fault = fault;
    const down = await ask(own.forecast, header);
    expect(refused(down)).toEqual({ status: 503, code: 'chain_unreachable' });
    expect(down.body).toMatchObject({ retry: true });
    expect(down.headers.get('retry-after')).toBe('5');
    relay.fault = null;
    expect((await ask(own.forecast, header)).status).toBe(200);
    await own.close();
    await close();
  });

  test('because nothing listens there: 503', async () => {
    const own = await openShop(market, { rpcUrl: 'http://127.0.0.1:1', now: Date.now });
    const header = signed(await market.buy({ invoice: await quote(own.forecast) }));
    expect((await ask(own.forecast, header)).status).toBe(503);
    await own.close();
  });

  test('because it does not answer in time: 503', async () => {
    const { url, server } = await listen(() => undefined);
    const own = await openShop(market, { rpcUrl: url, now: Date.now, rpcTimeoutMs: 50 });
    const header = signed(await market.buy({ invoice: await quote(own.forecast) }));
    expect((await ask(own.forecast, header)).status).toBe(503);
    await own.close();
    await closeServer(server);
  });

  test('because it is another network: 503, for a sandbox configured as mainnet and for mainnet configured as a sandbox', async () => {
    const wrong = await openShop(market, { network: 'mainnet', now: Date.now });
    const bought = await market.buy({ invoice: await quote(wrong.forecast) });
    expect((await ask(wrong.forecast, signed({ ...bought, network: 'mainnet' }))).status).toBe(503);
    await wrong.close();

    const { relay, url, close } = await createRelay(market.rpcUrl);
    const mainnet = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    });
    relay.fault = (method) => (method === 'getGenesisHash' ? [200, mainnet] : [200, rpcError]);
    const own = await openShop(market, { rpcUrl: url, now: Date.now });
    const header = signed(await market.buy({ invoice: await quote(own.forecast) }));
    expect((await ask(own.forecast, header)).status).toBe(503);
    expect(relay.calls).not.toContain('getTransaction');
    await own.close();
    await close();
  });

  test('because another chain came up under the same URL: 503', async () => {
    const { relay, url, close } = await createRelay(market.rpcUrl);
    const own = await openShop(market, { rpcUrl: url, now: Date.now });
    const buy = async () => signed(await market.buy({ invoice: await quote(own.forecast) }));
    expect((await ask(own.forecast, await buy())).status).toBe(200);
    const header = await buy();
    relay.fault = () => 'drop';
    expect((await ask(own.forecast, header)).status).toBe(503);
    const other = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: 'GH7ome3EiwEr7tu9JuTh2dpYWBJK3z69Xm1ZE3MEE6JC',
    });
    relay.fault = (method) => (method === 'getGenesisHash' ? [200, other] : null);
    expect((await ask(own.forecast, header)).status).toBe(503);
    relay.fault = null;
    expect((await ask(own.forecast, header)).status).toBe(200);
    await own.close();
    await close();
  });

  test('the genesis hash is requested once, and each verification is one request', async () => {
    const { relay, url, close } = await createRelay(market.rpcUrl);
    const own = await openShop(market, { rpcUrl: url, now: Date.now });
    for (let at = 0; at < 3; at++) {
      const header = signed(await market.buy({ invoice: await quote(own.forecast) }));
      expect((await ask(own.forecast, header)).status).toBe(200);
    }
    expect(relay.calls).toEqual(['getGenesisHash', ...Array.from({ length: 3 }, () => 'getTransaction')]);
    await own.close();
    await close();
  });

  test('because it answers with another transaction than the requested one: 503', async () => {
    const { relay, url, close } = await createRelay(market.rpcUrl);
    const own = await openShop(market, { rpcUrl: url, now: Date.now });
    const other = await market.buy();
    const config = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };
    const result = await market.rpc('getTransaction', [other.txSignature, config]);
    const header = signed(await market.buy({ invoice: await quote(own.forecast) }));
    relay.fault = (method) =>
      method === 'getTransaction' ? [200, JSON.stringify({ jsonrpc: '2.0', id: 1, result })] : null;
    expect((await ask(own.forecast, header)).status).toBe(503);
    await own.close();
    await close();
  });

  test('a node that lags a little is given time', async () => {
    const { relay, url, close } = await createRelay(market.rpcUrl);
    const own = await openShop(market, { rpcUrl: url, now: Date.now, visibleWithinMs: 2000 });
    const header = signed(await market.buy({ invoice: await quote(own.forecast) }));
    let looks = 0;
    const nothing = JSON.stringify({ jsonrpc: '2.0', id: 1, result: null });
    relay.fault = (method) => (method === 'getTransaction' && ++looks < 3 ? [200, nothing] : null);
    expect((await ask(own.forecast, header)).status).toBe(200);
    expect(looks).toBe(3);
    await own.close();
    await close();
  });
});
