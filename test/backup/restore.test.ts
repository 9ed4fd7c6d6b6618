// A treasury that is imported from its recovery phrase finds its agents on the chain, and what they spent in the last
// 24 hours still counts.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MachineClock } from '../../server/engine/ports.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import type { RpcRequest } from '../harness/chain/rpc-proxy.ts';
import { expectStatus } from '../harness/expect-status.ts';
import { useFolders } from '../harness/folders.ts';
import { deploy, rpcCall } from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { knownBy, livePast, type Past } from '../host/past.ts';
import {
  addService,
  asMainnet,
  hidesKeychain,
  killedAt,
  openInside,
  openMainnet,
  passphrase,
  refusedInside,
  type Inside,
  type Mainnet,
} from '../host/support.ts';

const folder = useFolders();
const moments = tries(2, 6);
let mainnet: Mainnet;
let past: Past;
beforeAll(async () => {
  mainnet = await openMainnet();
  past = await livePast(mainnet);
});
afterAll(async () => {
  await mainnet.close();
});

const importing = ['--import-phrase-fd', '3', '--passphrase-fd', '4'];
const agentsOf = ({ host }: Inside) =>
  host.engine.context.store.agents.list().map(({ agentId, wallet, status }) => ({ agentId, wallet, status }));
const restoredAgents = () =>
  Object.entries(past.wallets).map(([index, wallet]) => ({
    agentId: `restored-${index}`,
    wallet,
    status: 'suspended',
  }));

/** A request for a wallet's history, as opposed to the question whether it was ever used. */
const isHistory = ({ method, params }: RpcRequest): boolean =>
  method === 'getSignaturesForAddress' && params[1].commitment === 'finalized';

/** Everything that the first treasury knew, to the unit and to the signature. */
const expectRestored = async (inside: Inside): Promise<void> => {
  expect(inside.host.owner).toBe(past.owner);
  expect(agentsOf(inside)).toEqual(restoredAgents());
  expect(knownBy(inside.host)).toEqual(past.known);
  expect(clean(await audit(inside.host))).toEqual(allWell);
};

// The first, since the payments of a later test would be in the past that each start has to know.
describe.skipIf(!hidesKeychain)('SIGKILL while a treasury is restored (Linux alone)', () => {
  let requests = 0;
  beforeAll(async () => {
    const dataDir = folder();
    const inside = await openInside(dataDir, mainnet.args, { phrase: past.phrase });
    const names = mainnet.proxy.seen.map(({ method }) => method);
    requests = names.lastIndexOf('getTransaction') + 2;
    await inside.close();
  });

  it(`at ${moments} moments of it: the next start knows the same, once`, async () => {
    expect(requests).toBeGreaterThan(40);
    const first = 3;
    const points = Array.from(
      { length: moments },
      (_, n) => first + Math.floor((n * (requests - first)) / (moments - 1)),
    );
    for (const n of points) {
      const dataDir = folder();
      const args = [...mainnet.args, ...importing];
      await killedAt(mainnet, { n }, { dataDir, args, how: { descriptors: [past.phrase, passphrase] } });
      const inside = await openInside(dataDir, mainnet.args);
      await expectRestored(inside).catch((error: unknown) => {
        throw new Error(`killed at request ${n} of ${requests}`, { cause: error });
      });
      await inside.close();
    }
  });

  it('again and again: each start continues where the one before was killed', async () => {
    const dataDir = folder();
    const first = {
      dataDir,
      args: [...mainnet.args, ...importing],
      how: { descriptors: [past.phrase, passphrase] },
    };
    const next = {
      dataDir,
      args: [...mainnet.args, '--passphrase-fd', '3'],
      how: { descriptors: [passphrase] },
    };
    await killedAt(mainnet, { n: 1 }, first);
    // The search for agents reads the first history. Then the wallets are read in order, each once all before it are
    // entered.
    for (let n = 2; n <= 5; n += 1) await killedAt(mainnet, { n, counts: isHistory }, next);
    const before = mainnet.proxy.seen.length;
    const inside = await openInside(dataDir, mainnet.args);
    const read = mainnet.proxy.seen.slice(before).filter(({ method }) => method === 'getTransaction');
    // The one allocation to the last agent.
    expect(read).toHaveLength(1);
    await expectRestored(inside);
    await inside.close();
  });
});

describe.skipIf(!hidesKeychain)('a treasury imported from its phrase (Linux alone)', () => {
  it('knows its agents, balances, deposits and transfers, and counts what was spent', async () => {
    const dataDir = folder();
    const inside = await openInside(dataDir, mainnet.args, { phrase: past.phrase });
    await expectRestored(inside);
    const { host, client } = inside;
    addService(
      host,
      'shop',
      host.engine.context.store.transfers.list({ kinds: ['payment'], limit: 1 })[0]?.payee ?? '',
    );
    const agent = 'restored-1';
    const key = String(
      (await client.post(`/v1/agents/${agent}/keys`, {})).body['mcpConfig'].env.TREASURY_API_KEY,
    );
    const pay = (amount: string) =>
      client
        .as(key)
        .post(`/v1/agents/${agent}/pay`, { service: 'shop', amount, currency: 'USDC' })
        .then(({ status, body }) => ({ status, code: body['code'], details: body['details'] }));
    const settings = { dailyBudget: '5.00', maxPerPayment: '5.00' };

    expect(await pay('0.01')).toMatchObject({ status: 403, code: 'suspended' });
    expectStatus(await client.post(`/v1/agents/${agent}/resume`, {}), 200);
    expect(await pay('0.01')).toMatchObject({ status: 402, code: 'max_per_payment' });
    const policy = await client.post(`/v1/agents/${agent}/policy`, settings);
    expectStatus(policy, 200);
    expect(await pay('4.250001')).toMatchObject({
      status: 402,
      code: 'daily_budget',
      details: { limit: '5.00', spent: '0.75' },
    });
    expect(await pay('4.25')).toMatchObject({ status: 200 });
    expect(await pay('0.000001')).toMatchObject({
      status: 402,
      code: 'daily_budget',
      details: { spent: '5.00' },
    });

    const history = await client.get(`/v1/agents/${agent}/spend-history?limit=10`);
    expect(history.body['payments']).toHaveLength(4);
    const restored = history.body['payments'][3];
    expect(restored).toMatchObject({ amount: '0.25', status: 'confirmed', serviceId: 'unknown' });
    const payment = await client.get(`/v1/agents/${agent}/payments/${restored.id}`);
    expect(payment.body).toMatchObject({ description: 'from the chain', txSignature: restored.txSignature });
    const next = await client.post('/v1/agents/deploy', {
      agentId: 'new',
      dailyBudget: '1',
      maxPerPayment: '1',
    });
    expect(Object.values(past.wallets)).not.toContain(next.body['agent'].walletAddress);
    // Nothing on the chain says what was used of language models in these 24 hours.
    const added = await client.post('/v1/model-suppliers', { kind: 'openai', name: 'OpenAI' });
    expect(added.body).toEqual({ supplierId: 'openai', enabled: false });
    await inside.close();

    const again = await openInside(dataDir, mainnet.args);
    expect(agentsOf(again)).toHaveLength(4);
    await again.close();
  });

  it('is the same after its database was lost', async () => {
    const dataDir = folder();
    await (await openInside(dataDir, mainnet.args, { phrase: past.phrase })).close();
    for (const file of readdirSync(join(dataDir, 'mainnet')))
      if (file.startsWith('treasury.db')) rmSync(join(dataDir, 'mainnet', file));
    expect(await refusedInside(dataDir, mainnet.args)).toContain('that needs the passphrase');
    const inside = await openInside(dataDir, mainnet.args);
    // The payment of the test before is on the chain as well.
    expect(agentsOf(inside)).toEqual(restoredAgents());
    expect(clean(await audit(inside.host))).toEqual(allWell);
    await inside.close();
  });

  it('is not begun while the chain is silent, and goes on once it answers', async () => {
    const dataDir = folder();
    let histories = 0;
    mainnet.proxy.fault = asMainnet((request, forward) => {
      if (request.method === 'getTransaction') histories += 1;
      return histories > 10 ? null : forward();
    });
    const secrets = [past.phrase, passphrase];
    const said = await refusedInside(dataDir, [...mainnet.args, ...importing], secrets);
    mainnet.proxy.fault = asMainnet();
    expect(said).toMatch(/^Restoring from the chain stopped early .* start the treasury again, .*$/);
    const inside = await openInside(dataDir, mainnet.args);
    expect(agentsOf(inside)).toEqual(restoredAgents());
    expect(clean(await audit(inside.host))).toEqual(allWell);
    await inside.close();
  });
});

describe.skipIf(!hidesKeychain)('a payment of a moment ago (Linux alone)', () => {
  it('counts although it was not final yet when the phrase was imported', async () => {
    const own = await openMainnet(['--confirm-ms', '0', '--finalize-ms', '4000']);
    const before = await openInside(folder(), own.sandboxArgs);
    await own.fund(before.host.owner, 20_000_000n, 1_000_000_000n);
    const agent = await deploy(before.client, 'hasty', { allocate: '5' });
    expectStatus(await agent.pay('0.75'), 200);
    const { store } = before.host.engine.context;
    expect(store.transfers.open().map(({ kind }) => kind)).toContain('payment');
    const phrase = await before.host.vault.exportPhrase();
    await before.close();

    const inside = await openInside(folder(), own.args, { phrase });
    const { spend } = inside.host.engine.context.store;
    expect(spend.at('restored-1', Date.now())).toMatchObject({ open: 0n, final: 750_000n });
    expect(clean(await audit(inside.host))).toEqual(allWell);
    await inside.close();
    await own.close();
  });
});

describe.skipIf(!hidesKeychain)('a past of more than a day (Linux alone)', () => {
  it('is in the ledger’s opening balance, and only the last 24 hours are in the window', async () => {
    const own = await openMainnet();
    let aheadMs = 0;
    const clock: MachineClock = {
      wall: () => Date.now() + aheadMs,
      monotonic: () => performance.now() + aheadMs,
    };
    const slots = (25 * 3_600_000) / 400;
    const lived = await livePast(own, {
      clock,
      async between() {
        await rpcCall(own.sandbox.rpcUrl, 'sandbox_warp', [slots]);
        aheadMs += slots * 400;
      },
    });
    const inside = await openInside(folder(), own.args, { phrase: lived.phrase, clock });
    expect(knownBy(inside.host)).toEqual(lived.known);
    expect(Object.keys(lived.known.moved)).toHaveLength(7);
    const { unexplained, ...rest } = clean(await audit(inside.host));
    const { unexplained: _, ...well } = allWell;
    expect(rest).toEqual(well);
    // Three allocations, five payments, a recall and a withdrawal of the day before.
    expect(unexplained).toHaveLength(10);
    expect(inside.host.engine.context.store.spend.lifetime('restored-1').payments).toBe(3);
    await inside.close();
    await own.close();
  });
});
