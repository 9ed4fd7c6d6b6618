// What leaves a seller that settles by itself, and when: its key's signature after the row, and the end of a row after its proof.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Keypair, PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { decodeTransaction } from '../../server/lib/solana/wire.ts';
import type { Facilitator, ToSettle } from '../../server/paywall/facilitator.ts';
import { createGrantStore } from '../../server/paywall/store/grant-store.ts';
import { createSelf } from '../../server/paywall/settle/self.ts';
import { createTransactionReader } from '../../server/paywall/transaction-reader.ts';
import { until } from '../harness/treasury.ts';
import { createMarket, transfer, type Market } from '../x402/market.ts';
import { account, feePayer, limit, memo, mint, payee, payer, pays, price, signed } from './built.ts';

const buyer = Keypair.fromSeed(createHash('sha256').update('payer').digest());
let market: Market;
let store: ReturnType<typeof createGrantStore>;
let self: Facilitator;
let bid = 0n;
/** What the RPC was asked, and whether a row was kept by then. */
const asked: { method: string; wire: string; isKept: boolean }[] = [];
let beforeSending: (() => Promise<unknown>) | null = null;

beforeAll(async () => {
  market = await createMarket({ finalizeMs: 120_000 });
  store = createGrantStore(join(market.dataDir, 'own.db'));
  await market.fund(new PublicKey(payee.address), 0n);
  await market.fundSol(feePayer.address);
  await market.fund(buyer.publicKey, 1_000n, 1_000_000_000);
  const reader = createTransactionReader({ rpcUrl: market.rpcUrl, network: 'sandbox', timeoutMs: 60_000 });
  self = createSelf({
    feePayer,
    mostLamportsPerDay: 1_000_000,
    terms: { network: 'sandbox' },
    store,
    warn: () => {},
    reader: {
      ...reader,
      async call(method, params) {
        const isKept = (await store.openSettlings()).length > 0;
        asked.push({ method, wire: String(params[0]), isKept });
        if (method !== 'sendTransaction' || beforeSending === null) return reader.call(method, params);
        await beforeSending();
        return reader.call(method, [params[0], { encoding: 'base64', skipPreflight: true }]);
      },
    },
  });
});
beforeEach(() => {
  asked.length = 0;
  beforeSending = null;
});
afterAll(async () => {
  store.close();
  await market.close();
});

/** Another transaction for the offer, each time. */
const paymentFor = async (offer: string, microLamports = (bid += 1n)): Promise<ToSettle> => {
  const blockhash = bs58.decode((await market.connection.getLatestBlockhash('processed')).blockhash);
  const wire = signed([limit(60_000), price(microLamports), pays(), memo(offer)], { blockhash });
  return {
    version: 2,
    payload: { payload: { transaction: wire.toString('base64') } },
    message: createHash('sha256').update(wire.subarray(129)).digest('base64'),
    requirements: {},
    due: { mint, account: account(payee.address), amount: 1_000n } as ToSettle['due'],
    invoice: offer,
    memo: offer,
  };
};

it('a failure on the chain ends a payment once it is final, and costs its fee', async () => {
  const moveAway = transfer(buyer.publicKey, market.seller.publicKey, 1_000n);
  beforeSending = () => market.send([moveAway], { feePayer: buyer });
  const first = await paymentFor('an offer');
  const failing = self.settle(first);
  await until('the failure', async () => {
    const row = await store.findSettling('message', first.message);
    return (
      row !== undefined &&
      (await market.connection.getTransaction(row.txSignature, {
        commitment: 'confirmed',
        maxSupportedTransactionVersion: 0,
      })) !== null
    );
  });
  beforeSending = null;
  await market.fund(buyer.publicKey, 2_000n);
  expect(await self.settle(await paymentFor('an offer'))).toEqual({
    refused: 'another payment for this offer is under way',
  });
  await market.rpc('sandbox_warp', [400]);
  expect(await failing).toEqual({ refused: 'failed on the chain' });
  expect(await store.findSettling('message', first.message)).toMatchObject({
    state: 'failed',
    lamports: 10_001,
  });
  expect(await self.settle(await paymentFor('an offer'))).toHaveProperty('txSignature');
});

it('the fee payer’s signature leaves with the row on disk, and not for a simulation', async () => {
  const payment = await paymentFor('another offer');
  expect(await self.settle(payment)).toHaveProperty('txSignature');
  const [simulated, sent] = ['simulateTransaction', 'sendTransaction'].map((name) =>
    asked.find(({ method }) => method === name),
  );
  const [ours] = decodeTransaction(Buffer.from(simulated?.wire ?? '', 'base64')).signatures;
  expect(ours).toEqual(Buffer.alloc(64));
  expect(sent).toMatchObject({ isKept: true });
  expect(await store.findSettling('message', payment.message)).toMatchObject({
    wire: sent?.wire,
    payer: payer.address,
  });
  expect(asked.filter(({ isKept }) => !isKept).every(({ wire }) => wire !== sent?.wire)).toBe(true);
});

it('one payment takes at most a hundredth of the day’s limit, or twice the least fee', async () => {
  const dear = await self.settle(await paymentFor('a dear offer', 200_000n));
  expect(dear).toEqual({ refused: 'its priority fee is too high for this seller' });
  expect(asked).toEqual([]);
});
