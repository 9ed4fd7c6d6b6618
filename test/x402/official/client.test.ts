// The official client pays the official seller through the official facilitator, with nothing of ours but the
// sandbox's RPC: the basis of the other tests in this folder.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPeer, type Peer } from '../../harness/peers.ts';
import { rpcCall, openSandbox, type TestSandbox } from '../../harness/treasury.ts';

interface Fetched {
  status: number;
  body: string;
  settlement: { success: boolean; transaction: string; payer: string } | null;
  ms: number;
}

let sandbox: TestSandbox;
let peers: Peer[];
let seller: Peer;
let client: Peer;

beforeAll(async () => {
  sandbox = await openSandbox();
  const { rpcUrl } = sandbox;
  const facilitator = await startPeer('x402-v2', 'facilitator', { rpcUrl });
  seller = await startPeer('x402-v2', 'seller', { rpcUrl, facilitatorUrl: facilitator.says['url'] });
  client = await startPeer('x402-v2', 'client', { rpcUrl, units: '1000000' });
  peers = [client, seller, facilitator];
}, 600_000);
afterAll(async () => {
  for (const peer of peers) await peer.end();
  await sandbox.close();
});

const usdcOf = async (owner: string): Promise<bigint> => {
  const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const { value } = await rpcCall(sandbox.rpcUrl, 'getTokenAccountsByOwner', [
    owner,
    { mint },
    { encoding: 'jsonParsed' },
  ]);
  return BigInt(value[0].account.data.parsed.info.tokenAmount.amount);
};

describe('the official client', () => {
  it.each([
    ['/weather?city=Lisbon', 10_000n],
    ['/invoice/17', 20_000n],
    ['/blockhash', 10_000n],
  ])('pays the official seller for %s on the sandbox', async (path, units) => {
    const payTo = seller.says['payTo'] ?? '';
    const address = client.says['address'] ?? '';
    const before = [await usdcOf(payTo), await usdcOf(address)] as const;
    const { status, body, settlement } = await client.ask<Fetched>(`${seller.says['url']}${path}`);
    expect(status, `${body}\n${seller.stderr()}`).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ method: 'GET', url: path });
    expect(settlement).toMatchObject({ success: true, payer: address });
    const landed = await rpcCall(sandbox.rpcUrl, 'getTransaction', [
      settlement?.transaction,
      { encoding: 'json', maxSupportedTransactionVersion: 0 },
    ]);
    expect(landed.meta.err).toBeNull();
    expect([await usdcOf(payTo), await usdcOf(address)]).toEqual([before[0] + units, before[1] - units]);
  });

  it('gets free answers without a payment, and is told of failures without a charge', async () => {
    const address = client.says['address'] ?? '';
    const before = await usdcOf(address);
    expect(await client.ask<Fetched>(`${seller.says['url']}/free`)).toMatchObject({
      status: 200,
      settlement: null,
    });
    expect(await client.ask<Fetched>(`${seller.says['url']}/failing`)).toMatchObject({ status: 500 });
    expect(await usdcOf(address)).toBe(before);
  });
});
