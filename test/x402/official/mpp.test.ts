// Our treasury pays the official MPP seller: with transactions that we send, and with ones whose fee the seller pays.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../../harness/audit.ts';
import { rpcCall } from '../../harness/treasury.ts';
import { tries } from '../../harness/tries.ts';
import { buyOnce, confirmed, debitsOf, openShop, paidFetch, settled, spentBy, type Shop } from './shop.ts';

const many = tries(5, 20);
let shop: Shop;
let url = '';
let payee = '';
let others: string[] = [];
let feePayer = '';

beforeAll(async () => {
  shop = await openShop(async (open) => {
    const seller = await open('mpp', 'seller');
    url = String(seller.says['url']);
    payee = String(seller.says['recipient']);
    others = String(seller.says['others']).split(',');
    feePayer = String(seller.says['feePayer']);
  });
}, 600_000);
afterAll(() => shop.close());

const usdcOf = async (owner: string): Promise<bigint> => {
  const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const asked = [owner, { mint }, { encoding: 'jsonParsed' }];
  const { value } = await rpcCall(shop.rpcUrl, 'getTokenAccountsByOwner', asked);
  return BigInt(value[0]?.account.data.parsed.info.tokenAmount.amount ?? 0);
};

describe('a paid fetch of the official MPP seller', () => {
  it.each([
    ['/push?n=1', 10_000n, null],
    ['/push-identified', 10_000n, 'order 17'],
  ])('sends the transaction itself and shows its signature: %s', async (path, units, memo) => {
    const { body, debit } = await buyOnce(shop, { url: `${url}${path}` }, { units, payee, dialect: 'mpp' });
    expect(body).toMatchObject({ method: 'GET', url: path });
    expect(debit.memo).toBe(memo);
    // The treasury pays the fee, so that agents hold USDC alone.
    expect(debit.feePayer).toBe(shop.treasury.owner);
  });

  it.each([
    ['/pull?n=1', 20_000n, null],
    ['/pull-identified', 20_000n, 'order 18'],
  ])(
    'gives the seller the signed transaction when the seller pays the fee: %s',
    async (path, units, memo) => {
      const { body, debit } = await buyOnce(shop, { url: `${url}${path}` }, { units, payee, dialect: 'mpp' });
      expect(body).toMatchObject({ method: 'GET', url: path });
      expect(debit).toMatchObject({ memo, feePayer });
    },
  );

  it.each([
    ['/splits', 30_000n, [5_000n]],
    ['/splits-pull', 40_000n, Array.from({ length: 8 }, (_, n) => 1_000n + BigInt(n))],
  ])('pays each of several recipients its part in one transaction: %s', async (path, units, parts) => {
    const held = () => Promise.all([payee, ...others].map(usdcOf));
    const before = await held();
    const { body } = await buyOnce(shop, { url: `${url}${path}` }, { units, payee, dialect: 'mpp' });
    expect(body).toMatchObject({ method: 'GET', url: path });
    const got = (await held()).map((now, n) => now - (before[n] ?? 0n));
    const own = units - parts.reduce((sum, part) => sum + part, 0n);
    expect(got).toEqual([own, ...parts, ...Array<bigint>(8 - parts.length).fill(0n)]);
  });

  it('pays none of several recipients when one has no account', async () => {
    const [debits, spent] = [await debitsOf(shop.rpcUrl, shop.agent.wallet), spentBy(shop)];
    const { status, text } = await paidFetch(shop, { url: `${url}/splits-closed` });
    expect(status, text).toBe(501);
    expect(text).toContain('A recipient has no USDC account yet');
    expect(spentBy(shop)).toBe(spent);
    expect(await debitsOf(shop.rpcUrl, shop.agent.wallet)).toEqual(debits);
  });

  it.each(['/push', '/pull', '/push-identified'])(
    `answers ${many} equal purchases of %s at once with ${many} transactions`,
    async (path) => {
      const before = await debitsOf(shop.rpcUrl, shop.agent.wallet);
      const answers = await Promise.all(
        Array.from({ length: many }, () =>
          paidFetch(shop, { url: `${url}${path}` }, { key: randomUUID(), prefer: 'wait=60' }),
        ),
      );
      expect(
        answers.map(({ status }) => status),
        answers.map(({ text }) => text).join('\n'),
      ).toEqual(answers.map(() => 200));
      const ids = answers.map(({ body }) => String(body['payment'].paymentId));
      const named = await Promise.all(ids.map(async (id) => (await confirmed(shop, id))['txSignature']));
      await settled(shop);
      const debits = (await debitsOf(shop.rpcUrl, shop.agent.wallet)).slice(before.length);
      expect(debits.map(({ signature }) => signature).toSorted()).toEqual(named.toSorted());
      expect(new Set(named).size).toBe(many);
      expect(clean(await audit(shop.treasury.host))).toEqual(allWell);
    },
  );
});
