// Invariant 7: entries sum to zero, and every debit of a managed wallet maps to exactly one row.
import { Connection, Keypair, PublicKey, Transaction } from '@solana/web3.js';
import {
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  getOrCreateAssociatedTokenAccount,
} from '@solana/spl-token';
import type { KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/audit.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';

const mint = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
let treasury: Treasury;
let agent: TestAgent;
beforeAll(async () => {
  treasury = await openTreasury();
  agent = await deploy(treasury.client, 'robbed', { dailyBudget: '5', allocate: '10' });
});
afterAll(() => treasury.close());

const seedOf = (key: KeyObject): Uint8Array => key.export({ format: 'der', type: 'pkcs8' }).subarray(-32);

const thefts: string[] = [];

/** Takes 1 USDC with a wallet's signing key, past the treasury. Returns the signature of the theft. */
const steal = async (walletIndex: number, address: string): Promise<string> => {
  const { vault, rpcUrl } = treasury.host;
  const thief = Keypair.generate();
  const connection = new Connection(rpcUrl, 'confirmed');
  await connection.confirmTransaction(await connection.requestAirdrop(thief.publicKey, 1_000_000_000));
  const loot = await getOrCreateAssociatedTokenAccount(connection, thief, mint, thief.publicKey);
  const wallet = Keypair.fromSeed(seedOf(vault.signingKey(walletIndex)));
  expect(wallet.publicKey.toBase58()).toBe(address);
  const theft = new Transaction().add(
    createTransferCheckedInstruction(
      getAssociatedTokenAddressSync(mint, wallet.publicKey),
      mint,
      loot.address,
      wallet.publicKey,
      1_000_000n,
      6,
    ),
  );
  const signature = await connection.sendTransaction(theft, [thief, wallet]);
  await connection.confirmTransaction(signature);
  thefts.push(signature);
  return signature;
};

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
    const { engine } = treasury.host;
    const signature = await steal(0, treasury.owner);
    await engine.context.funds.scanDeposits();
    await until('the freeze', () => engine.context.store.freeze.get() !== null);
    expect(engine.context.store.freeze.get()?.reason).toContain(signature);
    expect((await agent.pay('0.01')).body['code']).toBe('frozen');
    await treasury.client.post('/v1/unfreeze');
  });

  it('stops a wallet within one reading when a transfer that no row explains leaves it', async () => {
    const { engine } = treasury.host;
    const signature = await steal(1, agent.wallet);
    await engine.context.funds.refresh([agent.wallet]);
    const refused = await agent.pay('0.01');
    expect([refused.status, refused.body['code']]).toEqual([403, 'suspended']);
    expect(refused.body['error']).toContain(signature);
    expect((await audit(treasury.host)).unexplained).toEqual(thefts);
  });
});
