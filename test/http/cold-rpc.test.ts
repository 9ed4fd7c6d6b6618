// The cold treasury behind an RPC that stands still, limits its rate, or refuses.
import { ComputeBudgetProgram, PublicKey, SystemProgram } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createColdWallet, drawAsThief, type ColdWallet } from '../harness/chain/cold-wallet.ts';
import { openFaultyTreasury, type FaultyTreasury } from '../harness/chain/faulty-treasury.ts';
import { newPhone } from '../harness/chain/phone.ts';
import type { Fault } from '../harness/chain/rpc-proxy.ts';
import { until } from '../harness/treasury.ts';

const one = 1_000_000n;
let treasury: FaultyTreasury;
let cold: ColdWallet;
beforeAll(async () => {
  treasury = await openFaultyTreasury({ silent: true });
  // Nothing is read but what a test asks for.
  await treasury.host.engine.context.funds.stop();
  cold = await createColdWallet(treasury.sandbox.rpcUrl, 500n * one);
  await treasury.client.post('/v1/cold', { address: cold.address });
  await cold.allow(treasury.owner, 20n * one);
});
afterAll(() => treasury.close());
afterEach(() => {
  treasury.proxy.fault = null;
});

const { compare, comparedAt } = {
  compare: () => treasury.host.engine.context.funds.compare(),
  comparedAt: () => treasury.host.engine.context.funds.comparedAt(),
};
const tooMany: Fault = ({ id }) => ({
  jsonrpc: '2.0',
  id,
  error: { code: 429, message: 'Too many requests' },
});

it('that is stuck at one slot is not taken for a reading of now', async () => {
  await compare();
  const answers = new Map<string, unknown>();
  treasury.proxy.fault = async ({ id, method, params }, forward) => {
    const asked = method + JSON.stringify(params);
    if (!answers.has(asked)) answers.set(asked, ((await forward()) as { result: unknown }).result);
    return { jsonrpc: '2.0', id, result: answers.get(asked) };
  };
  await compare();
  const at = comparedAt();
  await compare();
  expect(comparedAt()).toBe(at);
  treasury.proxy.fault = null;
  await until('a later slot', async () => {
    await compare();
    return comparedAt() !== at;
  });
});

it('that refuses is named, and nothing is an internal error', async () => {
  const other = await createColdWallet(treasury.sandbox.rpcUrl, 0n);
  await cold.revoke();
  await compare();
  treasury.proxy.fault = tooMany;
  for (const [path, body] of [
    ['cold/allowance', { allowance: '0' }],
    ['cold', { address: other.address }],
  ] as const) {
    const { status, body: answer } = await treasury.client.post(`/v1/${path}`, body);
    expect([path, status, answer['code']]).toEqual([path, 503, 'chain_unreachable']);
    expect(answer['error']).toContain('it answers HTTP status 429');
  }
  treasury.proxy.fault = null;
  await cold.allow(treasury.owner, 20n * one);
});

it('that limits its rate does not hide a theft behind the lines of strangers', async () => {
  const { host, sandbox, proxy, client } = treasury;
  await until('the RPC to take requests again', () =>
    compare().then(
      () => true,
      () => false,
    ),
  );
  const account = new PublicKey((await client.get('/v1/cold')).body['cold'].tokenAccount);
  const stranger = await newPhone({ host: { ...host, rpcUrl: sandbox.rpcUrl } });
  for (let n = 0; n < 60; n += 1) {
    const line = SystemProgram.transfer({
      fromPubkey: stranger.keys.publicKey,
      toPubkey: stranger.keys.publicKey,
      lamports: 1,
    });
    line.keys.push({ pubkey: account, isSigner: false, isWritable: false });
    await stranger.send([ComputeBudgetProgram.setComputeUnitLimit({ units: 10_000 + n }), line]);
  }
  const read = (): string | null => host.engine.context.store.cold.get()?.scannedTo ?? null;
  // Sixteen transactions a pass: the cursor moves all the same, and the newest are read first.
  const limited = (): Promise<unknown> =>
    until('a pass, once the RPC takes requests again', async () => {
      let left = 16;
      proxy.fault = (request, forward) => {
        if (request.method === 'getTransaction' && (left -= 1) < 0) return tooMany(request, forward);
        return forward();
      };
      await compare().catch(() => {});
      return left < 16;
    });
  const before = read();
  // A pass that another request cut short asks again from where it was.
  await until('the cursor to move', async () => {
    await limited();
    return read() !== before;
  });
  const allow = () => client.post('/v1/cold/allowance', { allowance: '0' });
  await until('the allowance to be taken', async () => (await allow()).status === 200);
  const purse = await createColdWallet(sandbox.rpcUrl, one);
  const taken = { from: cold.address, to: purse.address, units: one };
  await drawAsThief(sandbox.rpcUrl, host.vault.signingKey(0), taken);
  const reason = await until('the theft to be seen', async () => {
    await limited();
    return host.engine.context.store.freeze.get()?.reason;
  });
  expect(reason).toContain('no payment explains it');
});
