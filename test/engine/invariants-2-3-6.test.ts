// Between a signature and its proof, on a chain that loses, delays and lies.
// Invariant 2: no byte made with a signing key leaves the process before it is on disk.
// Invariant 3: one live signature for each payment; sending again means the same bytes.
// Invariant 6: a reservation is released only by denial, by cancelling what was never signed, or by proof from every RPC
// of a failure at `finalized` or of expiry; never by a timeout, an error while sending, or one of two RPCs that lies.
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import bs58 from 'bs58';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { openFaultyTreasury, type FaultyTreasury } from '../harness/chain/faulty-treasury.ts';
import { useFolders } from '../harness/folders.ts';
import { withResult, type Fault } from '../harness/chain/rpc-proxy.ts';
import { rpcCall, until } from '../harness/treasury.ts';

const newFolder = useFolders();
let treasury: FaultyTreasury;

const records = () => treasury.host.engine.context.store;
const held = (): bigint =>
  records().spend.at(treasury.agent.agentId, treasury.host.engine.context.time.now()).open;
const stateOf = (id: string): string | undefined => records().transfers.get(id)?.state;
/** Past the 150 blocks in which a transaction can land. */
const outlive = (): Promise<unknown> => rpcCall(treasury.sandbox.rpcUrl, 'sandbox_warp', [400]);
const agreed = async (): Promise<void> => expect(clean(await audit(treasury.host))).toEqual(allWell);
/** Knows no signature. */
const unknowing: Fault = ({ method }, forward) =>
  method === 'getSignatureStatuses'
    ? withResult(forward, (result) => ({ ...result, value: result.value.map(() => null) }))
    : forward();
/** Loses these bytes on their way to the chain. */
const losing =
  (isLost: () => boolean): Fault =>
  ({ method }, forward) =>
    method === 'sendTransaction' && isLost() ? null : forward();

/** The tests of a group share a treasury; each begins when no payment is open. */
const useTreasury = (options: Parameters<typeof openFaultyTreasury>[0] = {}): void => {
  beforeAll(async () => {
    treasury = await openFaultyTreasury(options);
    await treasury.client.post('/v1/agents/faulty/policy', { dailyBudget: '100' });
  });
  beforeEach(async () => {
    treasury.proxy.fault = null;
    await until('no payment to be open', () =>
      records()
        .transfers.open()
        .every(({ kind }) => kind !== 'payment'),
    );
  });
  afterAll(() => treasury.close());
};

/** The records that a power cut would leave now: a copy of the files, opened separately. */
const onDisk = (signature: string): { state: string; wire: Buffer } | undefined => {
  const folder = newFolder();
  const file = join(treasury.dataDir, 'sandbox', 'treasury.db');
  for (const suffix of ['', '-wal']) {
    if (existsSync(file + suffix)) copyFileSync(file + suffix, join(folder, `copy.db${suffix}`));
  }
  const db = new Database(join(folder, 'copy.db'));
  const row = db.prepare('SELECT state, wire FROM transfer WHERE signature = ?').get(signature);
  db.close();
  return row as { state: string; wire: Buffer } | undefined;
};

describe('a chain that the treasury hears by its websocket', () => {
  useTreasury();

  it('has every transaction on disk, byte for byte, when it reaches the RPC', async () => {
    const found: { state: string | undefined; same: boolean }[] = [];
    treasury.proxy.fault = (request, forward) => {
      if (request.method === 'sendTransaction') {
        const wire = Buffer.from(String(request.params[0]), 'base64');
        const row = onDisk(bs58.encode(wire.subarray(1, 65)));
        found.push({ state: row?.state, same: row?.wire.equals(wire) === true });
      }
      return forward();
    };
    for (let n = 0; n < 20; n += 1) expect((await treasury.agent.pay('0.01')).status).toBe(200);
    expect(found.length).toBeGreaterThanOrEqual(20);
    for (const { state, same } of found) {
      expect(['signed', 'sent']).toContain(state);
      expect(same).toBe(true);
    }
  });

  it('has it on disk before it reaches even the network code', async () => {
    const { chain } = treasury.host.engine.context;
    const { broadcast } = chain;
    const found: boolean[] = [];
    chain.broadcast = (wire) => {
      found.push(onDisk(bs58.encode(wire.subarray(1, 65)))?.wire.equals(wire) === true);
      return broadcast(wire);
    };
    for (let n = 0; n < 5; n += 1) expect((await treasury.agent.pay('0.01')).status).toBe(200);
    chain.broadcast = broadcast;
    expect(found).toEqual([true, true, true, true, true]);
  });

  it('asks about no signature that is not on disk', async () => {
    const strangers: string[] = [];
    treasury.proxy.fault = (request, forward) => {
      if (request.method === 'getSignatureStatuses') {
        for (const signature of request.params[0] as string[]) {
          if (records().transfers.bySignature(signature) === undefined) strangers.push(signature);
        }
      }
      return forward();
    };
    for (let n = 0; n < 5; n += 1) await treasury.agent.pay('0.01');
    const deposits = records()
      .deposits.list(null, 100)
      .map(({ txSignature }) => txSignature);
    expect(strangers.filter((signature) => !deposits.includes(signature))).toEqual([]);
  });

  it('is sent the same bytes again until they land, and makes one payment', async () => {
    const { proxy, agent } = treasury;
    proxy.seen.length = 0;
    let lost = 0;
    proxy.fault = losing(() => (lost += 1) <= 2);
    const paid = await agent.pay('1', { prefer: 'wait=20' });
    expect(paid.status).toBe(200);
    const sent = proxy.seen
      .filter(({ method }) => method === 'sendTransaction')
      .map(({ params }) => params[0]);
    expect(sent.length).toBeGreaterThanOrEqual(3);
    expect(new Set(sent).size).toBe(1);
    await until('it to be final', () => stateOf(String(paid.body['paymentId'])) === 'final');
    await agreed();
  });

  it('that loses the bytes keeps the money reserved while they may still land, until their expiry is proven', async () => {
    treasury.proxy.fault = losing(() => true);
    const pending = await treasury.agent.pay('2', { prefer: 'wait=1', key: 'lost' });
    expect([pending.status, pending.body['status']]).toEqual([202, 'pending']);
    expect(held()).toBe(2_000_000n);
    await outlive();
    await until('proof of death', () => stateOf(String(pending.body['paymentId'])) === 'dead');
    expect(held()).toBe(0n);
    const told = await treasury.agent.pay('2', { key: 'lost' });
    expect([told.status, told.body['code']]).toEqual([502, 'payment_failed']);
    expect((await treasury.agent.pay('2', { key: 'lost' })).text).toBe(told.text);
    treasury.proxy.fault = null;
    expect((await treasury.agent.pay('2', { key: 'another' })).status).toBe(200);
  });

  it('that cannot be reached: 503, nothing is spent, and the same key may try again', async () => {
    treasury.proxy.fault = () => null;
    const { chain } = treasury.host.engine.context;
    // As if the blockhash that was kept ready had become too old.
    const lifetime = chain.lifetime;
    chain.lifetime = () => Promise.reject(new Error('no blockhash'));
    const refused = await treasury.agent.pay('1', { key: 'later' });
    expect([refused.status, refused.body['code']]).toEqual([503, 'chain_unreachable']);
    expect(held()).toBe(0n);
    chain.lifetime = lifetime;
    treasury.proxy.fault = null;
    expect((await treasury.agent.pay('1', { key: 'later' })).status).toBe(200);
  });
});

describe('a chain that the treasury hears by asking alone', () => {
  useTreasury({ silent: true });

  it('pays where only the answers to what was sent are lost', async () => {
    treasury.proxy.fault = async ({ method }, forward) => {
      const answer = await forward();
      return method === 'sendTransaction' ? null : answer;
    };
    const paid = await treasury.agent.pay('1', { prefer: 'wait=20' });
    expect(paid.status).toBe(200);
    await until('it to be final', () => stateOf(String(paid.body['paymentId'])) === 'final');
    await agreed();
  });

  /** Each about a payment that landed. */
  const lies: Record<string, Fault> = {
    'gives the slot as the block height, and knows no signature': (request, forward) => {
      const { method } = request;
      if (method === 'getEpochInfo')
        return withResult(forward, (result) => ({ ...result, blockHeight: result.absoluteSlot + 1_000 }));
      if (method === 'getBlockHeight') return withResult(forward, (height: number) => height + 1_000);
      return unknowing(request, forward);
    },
    'knows no signature, but shows the debit': unknowing,
    'has forgotten the blocks in question': (request, forward) => {
      if (request.method === 'getSignaturesForAddress') return withResult(forward, () => []);
      if (request.method === 'getFirstAvailableBlock') return withResult(forward, () => 1_000_000);
      return unknowing(request, forward);
    },
    'looks up on a node that lags behind': (request, forward) => {
      if (request.method === 'getSignaturesForAddress') return withResult(forward, () => []);
      return request.method === 'getSignatureStatuses'
        ? withResult(forward, (result) => ({ context: { slot: 1 }, value: result.value.map(() => null) }))
        : forward();
    },
  };

  it.each(Object.entries(lies))(
    'which %s: nothing is released, and the truth ends it',
    async (_title, lie) => {
      const { agent, proxy } = treasury;
      proxy.fault = lie;
      const pending = await agent.pay('2', { prefer: 'wait=1' });
      expect(pending.status).toBe(202);
      const id = String(pending.body['paymentId']);
      await outlive();
      await until('the doubt to be stated', () => stateOf(id) === 'unknown');
      expect(held()).toBe(2_000_000n);
      const { body } = await agent.client.get(`/v1/agents/${agent.agentId}/payments/${id}`);
      expect(body['status']).toBe('unknown');
      proxy.fault = null;
      await until('the truth', () => stateOf(id) === 'final');
      await agreed();
    },
  );
});

describe('a fork that drops a confirmation', () => {
  useTreasury({ sandboxArgs: ['--confirm-ms', '0', '--finalize-ms', '600000'] });

  it('has it taken back, and nothing new signed', async () => {
    const paid = await treasury.agent.pay('1');
    expect(paid.status).toBe(200);
    const id = String(paid.body['paymentId']);
    const signature = String(paid.body['txSignature']);
    treasury.proxy.fault = unknowing;
    await until('the fall back', () => stateOf(id) === 'sent');
    expect(held()).toBe(1_000_000n);
    treasury.proxy.fault = null;
    await until('it to be seen again', () => stateOf(id) === 'seen');
    expect(records().transfers.get(id)?.signed?.signature).toBe(signature);
  });
});
