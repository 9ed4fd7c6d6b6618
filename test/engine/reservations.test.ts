// The end of a waiting reservation: after a stop of another agent, by its age, and when its charge expires.
import { Keypair } from '@solana/web3.js';
import { afterEach, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { openFaultyTreasury } from '../harness/chain/faulty-treasury.ts';
import { createImageServer } from '../harness/programs/image-server.ts';
import { deploy, openTreasury, rpcCall, until, type Treasury } from '../harness/treasury.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).toReversed()) await one();
});
const opened = async <T extends Treasury>(opening: Promise<T>): Promise<T> => {
  const treasury = await opening;
  undo.push(treasury.close);
  return treasury;
};

describe('a payment', () => {
  it('that is signed goes on when another agent is stopped', async () => {
    const { client, host } = await opened(openTreasury());
    const { store, chain } = host.engine.context;
    const [one, other] = [await deploy(client, 'one'), await deploy(client, 'other')];
    const { broadcast } = chain;
    const [held, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    chain.broadcast = async (wire) => {
      held.resolve();
      await gate.promise;
      return broadcast(wire);
    };
    const paying = other.pay('0.1');
    await held.promise;
    await client.post('/v1/agents/one/kill');
    expect(store.transfers.openOf('other').map(({ state }) => state)).toEqual(['signed']);
    gate.resolve();
    expect((await paying).status).toBe(200);
    expect((await one.pay('0.1')).body['code']).toBe('suspended');
  });

  it.each([
    [60_000, 200, 'final'],
    [60_001, 502, 'cancelled'],
  ])('whose blockhash comes after %d ms ends with %d', async (ms, status, state) => {
    let up = 0;
    const wall = Date.now();
    const clock = { wall: () => wall + up, monotonic: () => up };
    const { client, host } = await opened(openTreasury({ clock }));
    const { store, chain } = host.engine.context;
    const agent = await deploy(client, 'late');
    const { lifetime } = chain;
    chain.lifetime = () => {
      up += ms;
      chain.lifetime = lifetime;
      return lifetime();
    };
    const answer = await agent.pay('0.1');
    expect(answer.status, answer.text).toBe(status);
    const [row] = store.transfers.list({ kinds: ['payment'], limit: 1 });
    await until('its end', () => store.transfers.get(row?.id ?? '')?.state === state);
    if (status === 502) {
      expect(answer.body).toMatchObject({ code: 'payment_failed', details: { reason: 'interrupted' } });
      expect(row?.signed).toBeNull();
    }
  });
});

describe('a reservation that is judged again before it is signed', () => {
  it('is not counted against itself when the policy was changed meanwhile', async () => {
    const { client, host } = await opened(openTreasury());
    const { store, chain } = host.engine.context;
    const agent = await deploy(client, 'alone', { dailyBudget: '1.00', allocate: '0.60' });
    await client.post('/v1/treasury/policy', { dailyBudget: '1.00' });
    const { lifetime } = chain;
    const gate = Promise.withResolvers<void>();
    chain.lifetime = () => gate.promise.then(lifetime);
    const paying = agent.pay('0.60');
    await until('the reservation', () =>
      store.transfers.openOf('alone').some(({ state }) => state === 'reserved'),
    );
    const changed = await client.post('/v1/agents/alone/policy', { cooldownSeconds: 60 });
    expect(changed.status, changed.text).toBe(200);
    gate.resolve();
    chain.lifetime = lifetime;
    const answer = await paying;
    expect(answer.status, answer.text).toBe(200);
  });
});

describe('a picture', () => {
  it('whose charge expired is reported as failed, and owes nothing', async () => {
    const treasury = await opened(openFaultyTreasury());
    const { client, agent, host, proxy, sandbox } = treasury;
    const provider = await createImageServer();
    undo.push(provider.close);
    await client.post('/v1/image-providers/openai', { apiKey: 'sk-test', baseUrl: provider.url, atOnce: 2 });
    const { models } = (await client.get('/v1/models/settings')).body;
    const modelId = models.find(({ providerId }: { providerId: string }) => providerId === 'openai').id;
    await client.post(`/v1/models/${modelId}`, { enabled: true, pricing: { '1k': '0.10' } });
    proxy.fault = (request, forward) => (request.method === 'sendTransaction' ? null : forward());
    const body = { prompt: 'x', modelId, resolution: '1k' };
    const { taskId } = (await agent.client.post('/v1/agents/faulty/generate', body, { prefer: 'wait=0' }))
      .body;
    const { store } = host.engine.context;
    await until('its bytes', () =>
      store.transfers.open().some(({ kind, signed }) => kind === 'charge' && signed),
    );
    await rpcCall(sandbox.rpcUrl, 'sandbox_warp', [400]);
    const task = await until('its end', () => {
      const now = store.tasks.get(taskId);
      return now?.state === 'failed' && now;
    });
    expect(store.transfers.get(task.chargeId)?.state).toBe('dead');
    expect([task.refund, store.tasks.unsettled()]).toEqual(['void', []]);
    expect(provider.asked).toEqual([]);
    proxy.fault = null;
    expect(clean(await audit(host))).toEqual(allWell);
  });
});

const sol = (units: bigint): string =>
  `${units / 1_000_000_000n}.${String(units % 1_000_000_000n).padStart(9, '0')}`;

describe('a withdrawal of SOL', () => {
  it('leaves what open rows will take in fees and rent', async () => {
    const { client, host } = await opened(openTreasury());
    const { store, chain, funds } = host.engine.context;
    const agent = await deploy(client, 'opener');
    const weather = store.services.get('sandbox-weather');
    if (weather === undefined) throw new Error('the demo seller is listed');
    const payee = Keypair.generate().publicKey.toBase58();
    store.atomically(() => store.services.upsert({ ...weather, id: 'fresh', payees: [payee] }));
    const { lifetime } = chain;
    const gate = Promise.withResolvers<void>();
    chain.lifetime = () => gate.promise.then(lifetime);
    const body = { service: 'fresh', amount: '0.1', currency: 'USDC' };
    const paying = agent.client.post('/v1/agents/opener/pay', body);
    await until('the reservation', () => store.transfers.open().length === 1);
    expect(store.transfers.openLamports()).toBeGreaterThan(2_000_000n);
    await funds.refreshLamports();
    const to = Keypair.generate().publicKey.toBase58();
    // Everything but the account's reserve and the withdrawal's own fee, as if no row were open.
    const all = (): bigint => funds.lamports() - 890_880n - 5_000n;
    const withdraw = (amount: bigint, key: string) =>
      client.post('/v1/treasury/withdraw', { asset: 'SOL', to, amount: sol(amount) }, { key });
    const refused = await withdraw(all(), 'too much');
    expect([refused.status, refused.body['code']], refused.text).toEqual([402, 'insufficient_balance']);
    gate.resolve();
    chain.lifetime = lifetime;
    expect((await paying).status).toBe(200);
    await until('it to be final', () => store.transfers.open().length === 0);
    await funds.refreshLamports();
    const made = await withdraw(all() - 100_000n, 'enough');
    expect(made.status, made.text).toBe(200);
  });
});
