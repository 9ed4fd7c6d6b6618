// Invariant 7: entries sum to zero, and every debit of a managed wallet maps to exactly one row.
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foreignDebits } from '../../server/engine/domain/foreign-debits.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { steal } from '../harness/chain/steal.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';

let treasury: Treasury;
let agent: TestAgent;
beforeAll(async () => {
  treasury = await openTreasury();
  agent = await deploy(treasury.client, 'robbed', { dailyBudget: '5', allocate: '10' });
});
afterAll(() => treasury.close());

/** All of the owner's and agents' views agree again once each debit has its row. */
const enterAll = async (): Promise<void> => {
  const { funds } = treasury.host.engine.context;
  await until('each debit to have its row', async () => {
    await funds.compare();
    return (await audit(treasury.host)).unexplained.length === 0;
  });
};
const newKey = async (): Promise<void> => {
  const { body } = await treasury.client.post(`/v1/agents/${agent.agentId}/keys`, { label: 'new' });
  agent = { ...agent, client: treasury.client.as(String(body['apiKey'])) };
};
const pay = (amount: string, key: string) =>
  agent.client.post(
    `/v1/agents/${agent.agentId}/pay`,
    { service: 'sandbox-weather', amount, currency: 'USDC' },
    { key },
  );

describe('the ledger and the chain', () => {
  it('agree to the unit after payments, allocations, recalls, withdrawals and deposits', async () => {
    const { client } = treasury;
    const stranger = Keypair.generate().publicKey.toBase58();
    await client.post('/v1/sandbox/faucet', { amount: '25.000001' });
    for (let n = 0; n < 5; n += 1) expect((await agent.pay('0.000001')).status).toBe(200);
    expect((await client.post('/v1/agents/robbed/recall', { amount: '1.5' })).status).toBe(200);
    const out = await client.post(
      '/v1/treasury/withdraw',
      { asset: 'USDC', to: stranger, amount: '3.000003' },
      { key: 'w1' },
    );
    expect(out.status, out.text).toBe(200);
    const sol = await client.post(
      '/v1/treasury/withdraw',
      { asset: 'SOL', to: stranger, amount: '0.1' },
      { key: 'w2' },
    );
    expect(sol.status, sol.text).toBe(200);
    const { store, funds } = treasury.host.engine.context;
    await until('all to be final', async () => {
      await funds.scanDeposits();
      return store.transfers.open().length === 0 && store.deposits.unsettled().length === 0;
    });
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });

  it('freezes everything when a transfer that no row explains leaves the treasury, also when only the scan sees it', async () => {
    const { store, funds } = treasury.host.engine.context;
    const signature = await steal(treasury.host, 0);
    await funds.scanDeposits();
    await until('the freeze', () => store.freeze.get() !== null);
    expect(store.freeze.get()?.reason).toContain(signature);
    expect(foreignDebits(store)).toMatchObject([{ signature, agentId: null, amount: 1_000_000n }]);
    expect((await agent.pay('0.01')).body['code']).toBe('frozen');
    await enterAll();
    // These records may be an older copy: whoever repeated a request that they lack would pay twice.
    expect((await agent.pay('0.01')).body['code']).toBe('unauthorized');
    await newKey();
    expect((await pay('0.01', 'f')).body['code']).toBe('frozen');
    await treasury.client.post('/v1/unfreeze');
    expect(foreignDebits(store)).toEqual([]);
  });

  it('stops a wallet within one reading when transfers that no row explains leave it, and counts them as spent', async () => {
    const { store, funds, time } = treasury.host.engine.context;
    const spent = (): bigint => {
      const { open, final } = store.spend.at(agent.agentId, time.now());
      return open + final;
    };
    const before = spent();
    const thefts = [await steal(treasury.host, 1), await steal(treasury.host, 1, 500_000n)];
    await funds.refresh([agent.wallet]);
    expect(store.agents.get(agent.agentId)).toMatchObject({
      status: 'suspended',
      statusReason: expect.stringContaining(thefts[0] ?? ''),
    });
    expect(foreignDebits(store).map(({ signature }) => signature)).toEqual(thefts);
    expect((await pay('0.01', 'g')).body['code']).toBe('unauthorized');
    await enterAll();
    expect(spent() - before).toBe(1_500_000n);
    expect(clean(await audit(treasury.host))).toEqual(allWell);
    await treasury.client.post(`/v1/agents/${agent.agentId}/resume`);
    expect(foreignDebits(store)).toEqual([]);
  });

  it('finds what one transaction took from two wallets in both', async () => {
    const { store, funds } = treasury.host.engine.context;
    const other = await deploy(treasury.client, 'robbed-too', { allocate: '2' });
    await funds.compare();
    const signature = await steal(treasury.host, [1, 2], 300_000n);
    await until('both to be found', async () => {
      await funds.refresh([agent.wallet, other.wallet]);
      return foreignDebits(store).length === 2;
    });
    expect(
      foreignDebits(store)
        .map((debit) => [debit.signature, debit.agentId])
        .toSorted(),
    ).toEqual([
      [signature, 'robbed'],
      [signature, 'robbed-too'],
    ]);
    await enterAll();
    expect(clean(await audit(treasury.host))).toEqual(allWell);
    for (const id of ['robbed', 'robbed-too']) await treasury.client.post(`/v1/agents/${id}/resume`);
  });

  it('finds a theft that is smaller than what a payment was about to take', async () => {
    const { store, chain, funds } = treasury.host.engine.context;
    await newKey();
    const { broadcast } = chain;
    const held: Uint8Array[] = [];
    chain.broadcast = async (wire) => void held.push(wire);
    const pending = await agent.client.post(
      `/v1/agents/${agent.agentId}/pay`,
      { service: 'sandbox-weather', amount: '1', currency: 'USDC' },
      { key: 'slow', prefer: 'wait=0' },
    );
    expect(pending.status).toBe(202);
    const signature = await steal(treasury.host, 1, 400_000n);
    await funds.compare();
    expect(foreignDebits(store).map((debit) => debit.signature)).toEqual([signature]);
    chain.broadcast = broadcast;
    for (const wire of held) await broadcast(wire);
    await until('the payment', () => store.transfers.open().length === 0);
    await enterAll();
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });
});
