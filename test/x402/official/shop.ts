// A treasury, a chain and official sellers, each a process of its own except the treasury, which tests inspect.
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { expect } from 'vitest';
import { usdcMints } from '../../../server/contract/treasury/networks.ts';
import { formatUsdc, usdc } from '../../../server/money.ts';
import { allWell, audit, clean } from '../../harness/engine/audit.ts';
import type { Answer, Sent } from '../../harness/http-client.ts';
import { startPeer, type Peer, type PeerName } from '../../harness/programs/peers.ts';
import {
  deploy,
  openTreasury,
  rpcCall,
  openSandbox,
  until,
  type TestAgent,
  type Treasury,
} from '../../harness/treasury.ts';

export interface Shop {
  rpcUrl: string;
  peers: Peer[];
  treasury: Treasury;
  close(): Promise<void>;
}

/** A shop with the agent that buys there. */
export interface Buyer extends Shop {
  agent: TestAgent;
}

/** Starts a peer and keeps it with the others. */
export type Open = (
  name: PeerName,
  program: string,
  settings?: Readonly<Record<string, unknown>>,
) => Promise<Peer>;

export interface Official {
  url: string;
  payTo: string;
  feePayer: string;
}

/** An official x402 seller behind a facilitator. */
export const openSeller = async (
  open: Open,
  name: PeerName,
  { facilitator, program = 'seller' }: { facilitator: Peer; program?: string },
): Promise<Official> => {
  const { says } = await open(name, program, { facilitatorUrl: facilitator.says['url'] });
  return {
    url: String(says['url']),
    payTo: String(says['payTo']),
    feePayer: String(facilitator.says['feePayer']),
  };
};

/** The treasury may contact `others`, and the peers that `open` starts and that have a URL. */
export const openShop = async (
  open: (peer: Open) => Promise<unknown>,
  others: readonly string[] = [],
): Promise<Shop> => {
  const sandbox = await openSandbox();
  const { rpcUrl } = sandbox;
  const peers: Peer[] = [];
  await open(async (name, program, settings = {}) => {
    const peer = await startPeer(name, program, { rpcUrl, ...settings });
    peers.push(peer);
    return peer;
  });
  const urls = [...others, ...peers.flatMap(({ says }) => says['url'] ?? [])];
  const origins = urls.flatMap((url) => ['--allow-origin', url]);
  const treasury = await openTreasury({
    args: ['--rpc', rpcUrl, '--ws', rpcUrl.replace('http', 'ws'), ...origins],
  });
  const funded = await treasury.client.post('/v1/sandbox/faucet', { amount: '100' });
  expect(funded.status, funded.text).toBe(200);
  return {
    rpcUrl,
    peers,
    treasury,
    async close() {
      await treasury.close();
      for (const peer of peers.toReversed()) await peer.end();
      await sandbox.close();
    },
  };
};

export const newBuyer = async (
  shop: Shop,
  name: string,
  allocate: string | null = '10.00',
): Promise<Buyer> => ({
  ...shop,
  agent: await deploy(shop.treasury.client, name, { dailyBudget: '20.00', maxPerPayment: '1.00', allocate }),
});

export const paidFetch = ({ agent }: Pick<Buyer, 'agent'>, body: object, sent: Sent = {}): Promise<Answer> =>
  agent.client.post(`/v1/agents/${agent.agentId}/fetch`, body, {
    key: randomUUID(),
    prefer: 'wait=20',
    ...sent,
  });

export interface SellerResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** An agent's own HTTP, without our code. */
export const ask = (target: string, headers: Record<string, string> = {}): Promise<SellerResponse> =>
  new Promise((resolve, reject) => {
    httpRequest(target, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    })
      .on('error', reject)
      .end();
  });

export interface Landed {
  signature: string;
  feePayer: string;
  /** The micro-USDC that left the wallet. */
  units: bigint;
  memo: string | null;
}

const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** The debits of the wallet's USDC account on the chain, oldest first. */
export const debitsOf = async (rpcUrl: string, wallet: string): Promise<Landed[]> => {
  const mint = usdcMints.sandbox;
  const { value } = await rpcCall(rpcUrl, 'getTokenAccountsByOwner', [
    wallet,
    { mint },
    { encoding: 'base64' },
  ]);
  const listed: { signature: string; err: unknown }[] = [];
  for (;;) {
    const before = listed.at(-1)?.signature;
    const page = await rpcCall(rpcUrl, 'getSignaturesForAddress', [
      value[0].pubkey,
      { limit: 1_000, ...(before === undefined ? {} : { before }) },
    ]);
    listed.push(...page);
    if (page.length < 1_000) break;
  }
  const debits: Landed[] = [];
  for (const { signature, err } of listed.toReversed()) {
    if (err !== null) continue;
    const landed = await rpcCall(rpcUrl, 'getTransaction', [
      signature,
      { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 },
    ]);
    const held = (side: 'preTokenBalances' | 'postTokenBalances'): bigint =>
      (landed.meta[side] as { owner: string; uiTokenAmount: { amount: string } }[])
        .filter(({ owner }) => owner === wallet)
        .reduce((sum, { uiTokenAmount }) => sum + BigInt(uiTokenAmount.amount), 0n);
    const units = held('preTokenBalances') - held('postTokenBalances');
    if (units <= 0n) continue;
    const { instructions, accountKeys } = landed.transaction.message;
    const memo = (instructions as { programId: string; parsed?: string }[]).find(
      ({ programId }) => programId === memoProgram,
    );
    debits.push({ signature, units, memo: memo?.parsed ?? null, feePayer: String(accountKeys[0].pubkey) });
  }
  return debits;
};

/** The payment's own view, once it is confirmed. */
export const confirmed = ({ agent }: Pick<Buyer, 'agent'>, paymentId: string): Promise<Answer['body']> =>
  until(`${paymentId} to be confirmed`, async () => {
    const { body } = await agent.client.get(`/v1/agents/${agent.agentId}/payments/${paymentId}`);
    return body['status'] === 'confirmed' && body;
  });

export const settled = ({ treasury }: Pick<Shop, 'treasury'>): Promise<unknown> =>
  until('the open payments', () => treasury.host.engine.context.store.transfers.open().length === 0);

/** The amount that the daily budget counts for the agent. */
export const spentBy = ({ treasury, agent }: Pick<Buyer, 'treasury' | 'agent'>): bigint => {
  const { store, time } = treasury.host.engine.context;
  const { open, final } = store.spend.at(agent.agentId, time.now());
  return open + final;
};

/**
 * Buys once, and compares everything with the chain: one transaction, its amount, its signature, the budget, the
 * audit; then repeats the key, which pays nothing and gets the same answer.
 */
export const buyOnce = async (
  shop: Buyer,
  request: { url: string } & Record<string, unknown>,
  { units, payee, dialect }: { units: bigint; payee: string; dialect: string },
): Promise<{ body: Answer['body']; debit: Landed; paymentId: string }> => {
  const { agent, treasury, rpcUrl } = shop;
  const before = await debitsOf(rpcUrl, agent.wallet);
  const spent = spentBy(shop);
  const key = randomUUID();
  const answer = await paidFetch(shop, request, { key });
  const heard = shop.peers.map((peer) => peer.stderr()).join('');
  expect(answer.status, `${answer.text}\n${heard}`).toBe(200);
  const { status, body, encoding, payment } = answer.body;
  expect([status, encoding], answer.text).toEqual([200, 'utf8']);
  expect(payment).toMatchObject({ amount: formatUsdc(usdc(units)), currency: 'USDC', dialect });
  const paymentId = String(payment.paymentId);
  const told = await confirmed(shop, paymentId);
  const debits = await debitsOf(rpcUrl, agent.wallet);
  expect(debits.slice(0, before.length)).toEqual(before);
  expect(debits.length).toBe(before.length + 1);
  const debit = debits.at(-1) as Landed;
  expect(debit.units).toBe(units);
  expect(told['txSignature']).toBe(debit.signature);
  expect(treasury.host.engine.context.store.transfers.get(paymentId)).toMatchObject({ payee, amount: units });
  expect(spentBy(shop)).toBe(spent + units);
  await settled(shop);

  const again = await paidFetch(shop, request, { key });
  expect(again.status, again.text).toBe(200);
  expect(again.body['body']).toBe(body);
  expect(again.body['status']).toBe(200);
  expect(again.body['payment']).toMatchObject({
    paymentId,
    status: 'confirmed',
    txSignature: debit.signature,
  });
  expect(await debitsOf(rpcUrl, agent.wallet)).toEqual(debits);
  expect(spentBy(shop)).toBe(spent + units);
  expect(clean(await audit(treasury.host))).toEqual(allWell);
  return { body: JSON.parse(body) as Answer['body'], debit, paymentId };
};
