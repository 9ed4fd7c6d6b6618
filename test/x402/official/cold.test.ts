// An agent that lives from a cold treasury pays the official sellers of x402 v2, x402 v1 and MPP as any other does.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allWell, audit, clean } from '../../harness/audit.ts';
import type { ColdWallet } from '../../harness/cold-wallet.ts';
import { liveFromCold } from '../../harness/living-cold.ts';
import { expectStatus } from '../../harness/expect-status.ts';
import { until } from '../../harness/treasury.ts';
import { buyOnce, openShop, settled, type Shop } from './shop.ts';

const one = 1_000_000n;
let shop: Shop;
let cold: ColdWallet;
const sellers: Record<string, { url: string; payee: string }> = {};

beforeAll(async () => {
  shop = await openShop(async (open) => {
    const facilitator = await open('x402-v2', 'facilitator');
    const facilitatorUrl = facilitator.says['url'];
    for (const dialect of ['x402-v2', 'x402-v1'] as const) {
      const { says } = await open(dialect, 'seller', { facilitatorUrl });
      sellers[dialect] = { url: String(says['url']), payee: String(says['payTo']) };
    }
    const { says } = await open('mpp', 'seller');
    sellers['mpp'] = { url: String(says['url']), payee: String(says['recipient']) };
  });
  const { client } = shop.treasury;
  expectStatus(await client.post('/v1/agents/buyer/recall', { amount: '20.00' }), 200);
  await settled(shop);
  cold = await liveFromCold(shop.treasury, 30n * one);
}, 600_000);
afterAll(() => shop.close());

const wares = [
  ['x402-v2', '/weather?city=Lisbon', 10_000n],
  ['x402-v1', '/weather?city=Lisbon', 10_000n],
  ['mpp', '/push?n=1', 10_000n],
  ['mpp', '/pull?n=1', 20_000n],
] as const;

it('each seller is paid once, with money that was drawn', async () => {
  const { client, host } = shop.treasury;
  const { engine } = host;
  expectStatus(await client.post('/v1/agents/buyer/allocate', { amount: '1.00' }), 200);
  await settled(shop);
  expect(await cold.account()).toMatchObject({ allowance: 29n * one });
  for (const [dialect, path, units] of wares) {
    const { url = '', payee = '' } = sellers[dialect] ?? {};
    await buyOnce(shop, { url: `${url}${path}` }, { units, payee, dialect });
  }
  await settled(shop);
  // A refill makes up for exactly what was paid.
  expectStatus(
    await client.post('/v1/agents/buyer/refill', { refill: { below: '0.96', to: '1.06', perDay: '5.00' } }),
    200,
  );
  await until('the refill', async () => {
    await engine.refills.look();
    return (await cold.account()).allowance === 29n * one - 110_000n;
  });
  await settled(shop);
  expect(clean(await audit(host))).toEqual(allWell);
});
