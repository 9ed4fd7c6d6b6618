// The treasury pays network fees and rent for its agents. Both drain SOL, so on a real network both have limits.
import {
  createCloseAccountInstruction,
  createTransferCheckedInstruction,
  getAccount,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { Connection, Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatSol, lamports as lamportsOf } from '../../server/money.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { deploy, openTreasury, removeFolder, rpcCall, temporaryFolder, until } from '../harness/treasury.ts';
import { addService, hidesKeychain, openInside, openMainnet, type Inside, type Mainnet } from './support.ts';

const dataDir = temporaryFolder();
const feePerPayment = 10_000n;
let mainnet: Mainnet;
let inside: Inside;
let rent = 0n;
let payee = '';

beforeAll(async () => {
  mainnet = await openMainnet();
  if (!hidesKeychain) return;
  inside = await openInside(dataDir, mainnet.args);
  await mainnet.fund(inside.host.owner, 100_000_000n, 1_000_000_000n);
  payee = newWallet();
  await mainnet.fund(payee, 0n);
  addService(inside.host, 'open', payee);
  rent = await inside.host.engine.context.chain.rentLamports();
});
afterAll(async () => {
  await inside?.close();
  await mainnet.close();
  removeFolder(dataDir);
});

const newWallet = (): string => Keypair.generate().publicKey.toBase58();
const setLimits = (limits: { feeLimit?: bigint; rentLimit?: bigint }): void => {
  Object.assign(inside.host.engine.context.settings, limits);
};
const rows = (): number => [...inside.host.engine.context.store.transfers.iterate({})].length;
const lamports = async (): Promise<bigint> =>
  BigInt((await rpcCall(mainnet.sandbox.rpcUrl, 'getBalance', [inside.host.owner])).value);

/** Forwards the wallet's USDC and takes the rent that the treasury paid. */
const closeAccount = async (wallet: Keypair): Promise<void> => {
  const connection = new Connection(mainnet.sandbox.rpcUrl, 'confirmed');
  await connection.confirmTransaction(await connection.requestAirdrop(wallet.publicKey, 1_000_000_000));
  const mint = new PublicKey(inside.host.engine.context.chain.mint);
  const account = getAssociatedTokenAddressSync(mint, wallet.publicKey);
  const elsewhere = getAssociatedTokenAddressSync(mint, new PublicKey(payee));
  const { amount } = await getAccount(connection, account);
  const leave = new Transaction().add(
    createTransferCheckedInstruction(account, mint, elsewhere, wallet.publicKey, amount, 6),
    createCloseAccountInstruction(account, wallet.publicKey, wallet.publicKey),
  );
  await connection.confirmTransaction(await connection.sendTransaction(leave, [wallet]));
};

const buyer = async (name: string, of: Inside = inside) => {
  const agent = await deploy(of.client, name, { dailyBudget: '50', allocate: '5' });
  const pay = async (service: string, amount = '0.01') => {
    const { status, body } = await agent.client.post(`/v1/agents/${name}/pay`, {
      service,
      amount,
      currency: 'USDC',
    });
    return { status, code: body['code'] as string | undefined, body };
  };
  return { ...agent, pay };
};

const approvalOf = async ({ approvalId }: Record<string, unknown>) =>
  (await inside.client.get(`/v1/approvals/${String(approvalId)}`)).body;
const grant = async (asked: Record<string, unknown>) => {
  const { approvalId, hash } = await approvalOf(asked);
  return inside.client.post(`/v1/approvals/${String(approvalId)}/grant`, { hash });
};

it('the sandbox has no such limits', async () => {
  const treasury = await openTreasury();
  expect(treasury.host.engine.context.settings).toMatchObject({ feeLimit: null, rentLimit: null });
  await treasury.close();
});

describe.skipIf(!hidesKeychain)('on mainnet (Linux alone)', () => {
  it('the limits are 0.05 SOL of fees for each agent and 0.02 SOL of rent in 24 hours', () => {
    expect(inside.host.engine.context.settings).toMatchObject({
      feeLimit: 50_000_000n,
      rentLimit: 20_000_000n,
    });
  });

  it('an agent that used up its fees is refused, even 20 times at once, and another is not', async () => {
    const [spender, other] = [await buyer('spender'), await buyer('other')];
    setLimits({ feeLimit: 3n * feePerPayment + 9_999n });
    const answers = await Promise.all(Array.from({ length: 20 }, () => spender.pay('open')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status, code }) => status === 402 && code === 'fee_limit')).toHaveLength(17);
    expect((await other.pay('open')).status).toBe(200);
    expect(inside.host.engine.context.store.spend.at('spender', Date.now()).fees).toBe(3n * feePerPayment);
    setLimits({ feeLimit: 4n * feePerPayment });
    expect((await spender.pay('open')).status).toBe(200);
    expect((await spender.pay('open')).code).toBe('fee_limit');
    setLimits({ feeLimit: 50_000_000n });
  });

  it('the owner is asked before an account is opened for an unconfirmed seller', async () => {
    const agent = await buyer('stranger');
    const unknown = newWallet();
    addService(inside.host, 'unknown', unknown, false);
    const { status, body } = await agent.pay('unknown');
    expect(status).toBe(202);
    expect((await approvalOf(body))['shown']).toMatchObject({
      because: 'open_account',
      opensAccount: `${formatSol(lamportsOf(rent))} SOL`,
    });
    const before = await lamports();
    expect((await grant(body)).body).toMatchObject({ status: 'granted' });
    const { store } = inside.host.engine.context;
    await until('the ledger', () => store.transfers.open().length === 0);
    expect(store.transfers.get(String(body['paymentId']))?.state).toBe('final');
    expect(before - (await lamports())).toBe(rent + feePerPayment);
    expect((await agent.pay('unknown')).status).toBe(200);
  });

  it('rent is paid for services that the owner vouched for, and once for each payee', async () => {
    const agent = await buyer('tenant');
    const vouched = newWallet();
    addService(inside.host, 'vouched', vouched);
    const before = await lamports();
    expect((await agent.pay('vouched')).status).toBe(200);
    expect(before - (await lamports())).toBe(rent + feePerPayment);
    const { store } = inside.host.engine.context;
    await until('the ledger', () => store.transfers.open().length === 0);
    expect(store.transfers.rentPaid(vouched)).toBe(true);
    expect((await agent.pay('vouched')).status).toBe(200);
    expect(before - (await lamports())).toBe(rent + 2n * feePerPayment);
  });

  it('a payee that closes its account again gets no second rent without the owner’s approval', async () => {
    const agent = await buyer('landlord');
    const closing = Keypair.generate();
    const closed = closing.publicKey.toBase58();
    addService(inside.host, 'closing', closed);
    expect((await agent.pay('closing')).status).toBe(200);
    await closeAccount(closing);
    expect(await inside.host.engine.context.chain.hasTokenAccount(closed)).toBe(false);
    const { status, body } = await agent.pay('closing');
    expect(status).toBe(202);
    expect((await approvalOf(body))['shown']).toMatchObject({ because: 'open_account', openedBefore: true });
  });

  it('the rent of a day has a limit, even for 12 payments at once', async () => {
    const agent = await buyer('builder');
    const { store } = inside.host.engine.context;
    const spent = store.transfers.rentSince(Date.now() - 86_400_000);
    setLimits({ rentLimit: spent + 3n * rent + rent - 1n });
    const services = Array.from({ length: 12 }, (_, n) => `lot-${n}`);
    for (const id of services) addService(inside.host, id, newWallet());
    const answers = await Promise.all(services.map((id) => agent.pay(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status, code }) => status === 402 && code === 'rent_limit')).toHaveLength(9);
    expect(store.transfers.rentSince(Date.now() - 86_400_000)).toBe(spent + 3n * rent);
    expect((await agent.pay('open')).status).toBe(200);
    setLimits({ rentLimit: 20_000_000n });
  });

  it('a treasury without SOL refuses and reserves nothing, and pays once it has some', async () => {
    const agent = await buyer('stranded');
    // An account has to keep 890,880 lamports to exist: the rest is enough for two payments, and nearly for a third.
    const forTwo = 890_880n + 3n * feePerPayment - 1n;
    const spare = lamportsOf((await lamports()) - forTwo - 5_000n);
    const body = { asset: 'SOL', to: newWallet(), amount: formatSol(spare) };
    const out = await inside.client.post('/v1/treasury/withdraw', body, { key: 'all but a little' });
    expect(out.status, out.text).toBe(200);
    const { store, funds } = inside.host.engine.context;
    await until('the withdrawal to be final', () => store.transfers.open().length === 0);
    // Otherwise the next reading, within 40 s, would show it.
    await funds.refreshLamports();
    expect(funds.lamports()).toBe(forTwo);
    const { treasury } = (await inside.client.get('/v1/dashboard')).body;
    expect(treasury).toMatchObject({ transfersLeft: 2, spendableSol: '0.000029999' });

    const before = rows();
    const answers = [await agent.pay('open'), await agent.pay('open'), await agent.pay('open')];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 503]);
    expect(answers[2]).toMatchObject({ code: 'fees_exhausted' });
    expect(answers[2]?.body['error']).toContain(
      `The treasury has 0.000009999 SOL for fees, and this needs 0.00001 SOL for the network fee. Nothing was moved. Its owner has to send at least 0.000000001 SOL to ${inside.host.owner}.`,
    );
    addService(inside.host, 'without an account', newWallet());
    expect((await agent.pay('without an account')).body['error']).toContain(
      `and ${formatSol(lamportsOf(rent))} SOL to open the recipient’s USDC account.`,
    );
    await until('both to be final', () => store.transfers.open().length === 0);
    const many = await Promise.all(Array.from({ length: 20 }, () => agent.pay('open')));
    expect(new Set(many.map(({ code }) => code))).toEqual(new Set(['fees_exhausted']));
    expect(rows() - before).toBe(2);
    expect([store.transfers.openLamports(), store.spend.at('stranded', Date.now()).open]).toEqual([0n, 0n]);

    await mainnet.fund(inside.host.owner, 0n, 100_000_000n);
    await funds.refreshLamports();
    expect((await agent.pay('open')).status).toBe(200);
    await until('all to be final', async () => {
      await funds.scanDeposits();
      return store.transfers.open().length === 0 && store.deposits.unsettled().length === 0;
    });
    expect(clean(await audit(inside.host))).toEqual(allWell);
  });
});
