// The three clients of the ecosystem, unchanged, against the sandbox.
import { getAccount, getMint, getOrCreateAssociatedTokenAccount, transferChecked } from '@solana/spl-token';
import type { TokenBalance } from '@solana/web3.js';
import {
  AddressLookupTableProgram,
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
  sendAndConfirmTransaction,
} from '@solana/web3.js';
import * as kit from '@solana/kit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { recentSlot } from '../harness/chain/recent-slot.ts';
import { noLookupTables, onScript } from '../harness/chain/runtime.ts';
import { startSandbox, usdcMint } from './support.ts';

const mint = new PublicKey(usdcMint);
const memoProgram = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

const connect = async (confirmMs = 0): Promise<{ connection: Connection; rpcUrl: string; wsUrl: string }> => {
  const { rpcUrl, wsUrl } = await startSandbox({ slotMs: 100, confirmMs, finalizeMs: 2 * confirmMs });
  const connection = new Connection(rpcUrl, 'confirmed');
  onTestFinished(() => disconnect(connection));
  return { connection, rpcUrl, wsUrl };
};

/** Silences a connection whose server goes away first: it keeps trying to reconnect, and logs that. */
const disconnect = (connection: Connection): void => {
  const { _rpcWebSocket: socket } = connection as unknown as {
    _rpcWebSocket: { setAutoReconnect(isOn: boolean): void; close(): void };
  };
  socket.setAutoReconnect(false);
  socket.close();
};

const fundedKey = async (connection: Connection): Promise<Keypair> => {
  const key = Keypair.generate();
  const signature = await connection.requestAirdrop(key.publicKey, LAMPORTS_PER_SOL);
  const { err } = (
    await connection.confirmTransaction({ signature, ...(await connection.getLatestBlockhash()) })
  ).value;
  expect(err).toBeNull();
  return key;
};

const fundUsdc = async (rpcUrl: string, owner: string, units: string): Promise<void> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_fundUsdc', params: [owner, units] });
  await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
};

describe('web3.js', () => {
  test('airdrops, sends, confirms over the websocket on the next port and reads the parsed transaction', async () => {
    const { connection } = await connect(20);
    const [from, to] = [await fundedKey(connection), Keypair.generate()];
    const transaction = new Transaction().add(
      SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to.publicKey, lamports: 10_000_000 }),
      new TransactionInstruction({ keys: [], programId: memoProgram, data: Buffer.from('at:1 é') }),
    );
    const signature = await sendAndConfirmTransaction(connection, transaction, [from]);

    const parsed = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(parsed?.meta?.err).toBeNull();
    expect(parsed?.meta?.fee).toBe(5000);
    expect(parsed?.transaction.message.instructions).toMatchObject([
      {
        program: 'system',
        parsed: {
          type: 'transfer',
          info: {
            source: from.publicKey.toBase58(),
            destination: to.publicKey.toBase58(),
            lamports: 10_000_000,
          },
        },
      },
      { program: 'spl-memo', parsed: 'at:1 é' },
    ]);
    expect(parsed?.transaction.message.accountKeys[0]).toMatchObject({ signer: true, writable: true });
    expect(await connection.getBalance(to.publicKey)).toBe(10_000_000);
    const raw = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(raw?.transaction.message.compiledInstructions).toHaveLength(2);
    const [entry] = await connection.getSignaturesForAddress(to.publicKey);
    expect(entry).toMatchObject({ signature, err: null, memo: '[7] at:1 é' });
  });

  test('sends a version 0 transaction, simulates a half-signed one and asks for its fee', async () => {
    const { connection } = await connect();
    const from = await fundedKey(connection);
    const { blockhash } = await connection.getLatestBlockhash();
    const message = new TransactionMessage({
      payerKey: from.publicKey,
      recentBlockhash: blockhash,
      instructions: [
        SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: mint, lamports: 1_000_000 }),
      ],
    }).compileToV0Message();
    const transaction = new VersionedTransaction(message);

    const { value } = await connection.simulateTransaction(transaction);
    expect(value).toMatchObject({ err: null, unitsConsumed: 150 });
    expect((await connection.getFeeForMessage(message)).value).toBe(5000);
    transaction.sign([from]);
    const signature = await connection.sendTransaction(transaction);
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(found).toMatchObject({ version: 0, meta: { err: null } });
    await expect(connection.getTransaction(signature)).rejects.toThrow(
      /Transaction version \(0\) is not supported/,
    );
  });

  test.skipIf(onScript)(`opens a lookup table and pays through it${noLookupTables}`, async () => {
    const { connection } = await connect();
    const [from, to] = [await fundedKey(connection), Keypair.generate()];
    const [create, table] = AddressLookupTableProgram.createLookupTable({
      authority: from.publicKey,
      payer: from.publicKey,
      recentSlot: await recentSlot(connection),
    });
    const extend = AddressLookupTableProgram.extendLookupTable({
      lookupTable: table,
      authority: from.publicKey,
      payer: from.publicKey,
      addresses: [to.publicKey, mint],
    });
    await sendAndConfirmTransaction(connection, new Transaction().add(create, extend), [from]);
    // Addresses can be used from the slot after the one that added them.
    const extendedAt = await connection.getSlot('processed');
    await vi.waitFor(
      async () => expect(await connection.getSlot('processed')).toBeGreaterThan(extendedAt),
      20_000,
    );

    const account = (await connection.getAddressLookupTable(table)).value;
    const pay = SystemProgram.transfer({
      fromPubkey: from.publicKey,
      toPubkey: to.publicKey,
      lamports: 3_000_000,
    });
    const { blockhash } = await connection.getLatestBlockhash();
    const message = new TransactionMessage({
      payerKey: from.publicKey,
      recentBlockhash: blockhash,
      instructions: [pay],
    }).compileToV0Message(account ? [account] : []);
    expect(message.staticAccountKeys).toHaveLength(2);
    const transaction = new VersionedTransaction(message);
    transaction.sign([from]);
    const signature = await connection.sendTransaction(transaction);

    expect(await connection.getBalance(to.publicKey)).toBe(3_000_000);
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(found?.meta?.loadedAddresses?.writable.map((key) => key.toBase58())).toEqual([
      to.publicKey.toBase58(),
    ]);
    expect(await connection.getSignaturesForAddress(to.publicKey)).toMatchObject([{ signature }]);
  });

  test('reads the description of the cluster', async () => {
    const { connection } = await connect();
    const { absoluteSlot, blockHeight } = await connection.getEpochInfo('processed');
    expect(absoluteSlot).toBeGreaterThan(blockHeight ?? Infinity);
    expect(Math.abs(((await connection.getBlockTime(absoluteSlot)) ?? 0) - Date.now() / 1000)).toBeLessThan(
      3,
    );
    expect((await connection.getVersion())['solana-core']).toMatch(/^\d+\.\d+\.\d+$/);
    expect(await connection.getGenesisHash()).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
    expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(2_039_280);
    expect((await connection.getRecentPrioritizationFees()).length).toBeGreaterThan(100);
    expect((await connection.getSupply()).value.total).toBe(5_000_000 * LAMPORTS_PER_SOL);
    expect((await connection.getVoteAccounts()).current).toHaveLength(1);
    expect(await connection.getFirstAvailableBlock()).toBe(0);
  });
});

describe('spl-token', () => {
  test('opens accounts, reads the mint and moves USDC', async () => {
    const { connection, rpcUrl } = await connect();
    const [payer, payee] = [await fundedKey(connection), Keypair.generate()];
    await fundUsdc(rpcUrl, payer.publicKey.toBase58(), '5000000');

    expect(await getMint(connection, mint)).toMatchObject({
      decimals: 6,
      supply: 5_000_000n,
      isInitialized: true,
    });
    const from = await getOrCreateAssociatedTokenAccount(connection, payer, mint, payer.publicKey);
    expect(from.amount).toBe(5_000_000n);
    const to = await getOrCreateAssociatedTokenAccount(connection, payer, mint, payee.publicKey);
    const signature = await transferChecked(
      connection,
      payer,
      from.address,
      mint,
      to.address,
      payer,
      1_250_000,
      6,
    );

    expect((await getAccount(connection, to.address)).amount).toBe(1_250_000n);
    const parsed = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(parsed?.transaction.message.instructions).toMatchObject([
      {
        program: 'spl-token',
        parsed: {
          type: 'transferChecked',
          info: {
            tokenAmount: { amount: '1250000', uiAmountString: '1.25' },
            authority: payer.publicKey.toBase58(),
          },
        },
      },
    ]);
    const [a, b] = [payer.publicKey.toBase58(), payee.publicKey.toBase58()];
    expect(amounts(parsed?.meta?.preTokenBalances)).toEqual({ [a]: '5000000', [b]: '0' });
    expect(amounts(parsed?.meta?.postTokenBalances)).toEqual({ [a]: '3750000', [b]: '1250000' });
    const held = await connection.getParsedTokenAccountsByOwner(payee.publicKey, { mint });
    expect(held.value.map(({ account }) => account.data.parsed.info.tokenAmount.uiAmount)).toEqual([1.25]);
    expect((await connection.getTokenAccountBalance(to.address)).value.uiAmountString).toBe('1.25');
    expect((await connection.getTokenSupply(mint)).value.amount).toBe('5000000');
  });

  test('a gift of USDC is an ordinary deposit in the history of the owner’s token account', async () => {
    const { connection, rpcUrl } = await connect();
    const owner = Keypair.generate().publicKey;
    await fundUsdc(rpcUrl, owner.toBase58(), '7');
    await fundUsdc(rpcUrl, owner.toBase58(), '0');
    await fundUsdc(rpcUrl, owner.toBase58(), '7');

    const { value } = await connection.getTokenAccountsByOwner(owner, { mint });
    const account = value[0]?.pubkey ?? PublicKey.default;
    const history = await connection.getSignaturesForAddress(account);
    expect(history).toHaveLength(3);
    const deposits = await connection.getParsedTransactions(history.map(({ signature }) => signature));
    expect(deposits.map((deposit) => deposit?.meta?.postTokenBalances?.[0]?.uiTokenAmount.amount)).toEqual([
      '14',
      '7',
      '7',
    ]);
    expect(deposits[2]?.meta?.innerInstructions?.[0]?.instructions).toHaveLength(4);
    expect(deposits[2]?.meta?.preTokenBalances).toEqual([]);
  });
});

describe('kit', () => {
  test('sends a transfer and confirms it through its own subscriptions', async () => {
    const { rpcUrl, wsUrl } = await connect(20);
    const rpc = kit.createSolanaRpc(rpcUrl);
    const rpcSubscriptions = kit.createSolanaRpcSubscriptions(wsUrl);
    const payer = await kit.generateKeyPairSigner();
    const airdrop = kit.airdropFactory({ rpc: rpc as never, rpcSubscriptions: rpcSubscriptions as never });
    await airdrop({
      commitment: 'confirmed',
      recipientAddress: payer.address,
      lamports: kit.lamports(1_000_000_000n),
    });
    const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
    const payee = Keypair.generate().publicKey.toBase58();
    const message = kit.pipe(
      kit.createTransactionMessage({ version: 0 }),
      (empty) => kit.setTransactionMessageFeePayerSigner(payer, empty),
      (paid) => kit.setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
      (timed) => kit.appendTransactionMessageInstructions([systemTransfer(payer, payee, 2_000_000n)], timed),
    );
    const transaction = await kit.signTransactionMessageWithSigners(message);
    kit.assertIsTransactionWithBlockhashLifetime(transaction);
    const sendAndConfirm = kit.sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions } as never);
    await sendAndConfirm(transaction, { commitment: 'confirmed' });

    const { value: balance } = await rpc.getBalance(kit.address(payee), { commitment: 'confirmed' }).send();
    expect(balance).toBe(2_000_000n);
    const found = await rpc
      .getTransaction(kit.getSignatureFromTransaction(transaction), {
        commitment: 'confirmed',
        encoding: 'jsonParsed',
        maxSupportedTransactionVersion: 0,
      })
      .send();
    expect(found?.meta?.fee).toBe(5000n);
    const info = await rpc.getAccountInfo(kit.address(usdcMint), { encoding: 'base64' }).send();
    expect(info.value).toMatchObject({ space: 82n, executable: false });
  });
});

const amounts = (balances: TokenBalance[] | null | undefined) =>
  Object.fromEntries((balances ?? []).map(({ owner, uiTokenAmount }) => [owner, uiTokenAmount.amount]));

const systemTransfer = (from: kit.TransactionSigner, to: string, lamports: bigint) => {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(lamports, 4);
  return {
    programAddress: kit.address('11111111111111111111111111111111'),
    accounts: [
      { address: from.address, role: kit.AccountRole.WRITABLE_SIGNER, signer: from },
      { address: kit.address(to), role: kit.AccountRole.WRITABLE },
    ],
    data: new Uint8Array(data),
  } as const;
};
