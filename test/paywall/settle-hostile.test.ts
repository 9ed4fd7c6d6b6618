// A thousand payments of an attacker: whatever is signed of them is executed on the real runtime, and the key that signs
// loses nothing but its fee. What the official facilitator refuses is refused.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { x402Networks } from '../../server/contract/treasury/networks.ts';
import { createGrantStore } from '../../server/paywall/store/grant-store.ts';
import type { Facilitator, ToSettle } from '../../server/paywall/facilitator.ts';
import { judge, mostLamportsOf } from '../../server/paywall/settle/judge.ts';
import { createSelf } from '../../server/paywall/settle/self.ts';
import { createTransactionReader } from '../../server/paywall/transaction-reader.ts';
import { createDice } from '../harness/dice.ts';
import { startPeer, type Peer } from '../harness/programs/peers.ts';
import { tries } from '../harness/tries.ts';
import { createMarket, type Market } from '../x402/market.ts';
import { additions, mutated } from './hostile-payments.ts';
import { account, feePayer, limit, memo, mint, payee, payer, pays, price, signed } from './built.ts';

let market: Market;
let store: ReturnType<typeof createGrantStore>;
let self: Facilitator;
let official: Peer;
const signedMessages: Uint8Array[] = [];
const signer = {
  address: feePayer.address,
  sign(message: Uint8Array) {
    signedMessages.push(message);
    return feePayer.sign(message);
  },
};
const warned: string[] = [];

beforeAll(async () => {
  market = await createMarket();
  store = createGrantStore(join(market.dataDir, 'own.db'));
  official = await startPeer('x402-v2', 'facilitator', { rpcUrl: market.rpcUrl });
  for (const { address } of [payer, payee, feePayer])
    await market.fund(new PublicKey(address), address === payee.address ? 0n : 1_000_000_000n);
  await market.fundSol(feePayer.address, 10_000_000_000);
  await market.fundSol(payer.address);
  self = createSelf({
    feePayer: signer,
    mostLamportsPerDay: 9_000_000_000,
    terms: { network: 'sandbox' },
    reader: createTransactionReader({ rpcUrl: market.rpcUrl, network: 'sandbox', timeoutMs: 60_000 }),
    store,
    warn: (_, message) => warned.push(message),
  });
}, 600_000);
afterAll(async () => {
  await official.end();
  store.close();
  await market.close();
});

const paymentOf = (wire: Uint8Array, version: ToSettle['version'], invoice: string): ToSettle => ({
  version,
  payload: { payload: { transaction: Buffer.from(wire).toString('base64') } },
  message: createHash('sha256').update(wire.subarray(129)).digest('base64'),
  requirements: {},
  due: { mint, account: account(payee.address), amount: 1_000n } as ToSettle['due'],
  invoice,
  memo: invoice,
});
const latest = async (): Promise<Buffer> =>
  Buffer.from(bs58.decode((await market.connection.getLatestBlockhash('processed')).blockhash));
const balanceOf = (address: string) => market.connection.getBalance(new PublicKey(address), 'processed');
const tokensOf = async (address: string): Promise<bigint> =>
  BigInt(
    (await market.connection.getTokenAccountBalance(new PublicKey(account(address)), 'processed')).value
      .amount,
  );

describe('an attacker’s payments', () => {
  it('cost the fee payer nothing but the fees of what was signed', async () => {
    const dice = createDice(46);
    const before = await balanceOf(feePayer.address);
    const tokensBefore = await tokensOf(feePayer.address);
    let settled = 0;
    const reasons = new Map<string, number>();
    const many = tries(1_000, 10_000);
    let blockhash = await latest();
    for (let n = 0; n < many; n += 1) {
      if (n % 100 === 0) blockhash = await latest();
      const version = dice.pick<ToSettle['version']>([1, 2, 'mpp']);
      const result = await self.settle(
        paymentOf(mutated(dice, `offer ${n}`, blockhash), version, `offer ${n}`),
      );
      if ('txSignature' in result) settled += 1;
      else reasons.set(result.refused, (reasons.get(result.refused) ?? 0) + 1);
    }
    expect(reasons.size).toBeGreaterThan(12);
    expect(settled).toBeGreaterThan(0);
    expect(signedMessages).toHaveLength(settled);
    const spent = before - (await balanceOf(feePayer.address));
    expect(spent).toBe(store.settlingLamports(0));
    expect(spent).toBeLessThanOrEqual(settled * mostLamportsOf('exact'));
    expect(await tokensOf(feePayer.address)).toBe(tokensBefore);
    expect(await tokensOf(payee.address)).toBe(BigInt(settled) * 1_000n);
    expect(store.openSettlings()).toEqual([]);
    expect(warned).toEqual([]);
  }, 120_000);

  it('are refused wherever the official facilitator refuses them', async () => {
    const dice = createDice(47);
    const from = String(official.says['feePayer']);
    const network = x402Networks.sandbox.v2;
    const requirements = {
      scheme: 'exact',
      network,
      amount: '1000',
      asset: mint,
      payTo: payee.address,
      maxTimeoutSeconds: 60,
      extra: { feePayer: from, memo: 'pinned' },
    };
    const demand = {
      protocol: 'exact',
      mint,
      account: account(payee.address),
      amount: 1_000n,
      feePayer: from,
      memo: 'pinned',
      mostInstructions: 7,
    } as const;
    const blockhash = await latest();
    const disagreed: string[] = [];
    let accepted = 0;
    for (let n = 0; n < tries(60, 3_000); n += 1) {
      const steps = [limit(60_000), price(BigInt(n)), pays(), memo('pinned')];
      const changed =
        n % 10 === 0
          ? steps
          : steps.toSpliced(Math.floor(dice.roll() * 5), dice.pick([0, 1]), dice.pick(additions)());
      const wire = signed(changed, { blockhash, from });
      const body = JSON.stringify({
        paymentPayload: {
          x402Version: 2,
          accepted: requirements,
          payload: { transaction: wire.toString('base64') },
        },
        paymentRequirements: requirements,
      });
      const answer = await fetch(`${official.says['url']}/verify`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      const theirs = (await answer.json()) as { isValid?: boolean; invalidReason?: string };
      const ours = judge(wire, demand);
      if (!('refused' in ours)) accepted += 1;
      const isSimulated = theirs.invalidReason?.includes('simulation') === true;
      if (theirs.isValid !== true && !isSimulated && !('refused' in ours))
        disagreed.push(String(theirs.invalidReason));
    }
    expect(disagreed).toEqual([]);
    expect(accepted).toBeGreaterThanOrEqual(6);
  }, 120_000);

  it('of a dear bid cost no more than the limit of the protocol', async () => {
    const before = await balanceOf(feePayer.address);
    const dear = signed([limit(400_000), price(5_000_000n), pays(), memo('dear')], {
      blockhash: await latest(),
    });
    expect(await self.settle(paymentOf(dear, 2, 'dear'))).toHaveProperty('txSignature');
    expect(before - (await balanceOf(feePayer.address))).toBe(mostLamportsOf('exact'));
    const over = signed([limit(400_000), price(5_000_001n), pays(), memo('over')], {
      blockhash: await latest(),
    });
    expect(await self.settle(paymentOf(over, 2, 'over'))).toHaveProperty('refused');
  });
});
