// The common part of the sandbox's tests: a sandbox of their own, and transfers made without any client.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bs58 from 'bs58';
import { onTestFinished } from 'vitest';

import { createLog } from '../../server/log.ts';
import { programs } from '../../server/sandbox/chain/account.ts';
import type { Keypair } from '../../server/sandbox/chain/keypair.ts';
import { keypairFromSeed } from '../../server/sandbox/chain/keypair.ts';
import type { Instruction } from '../../server/lib/solana/wire.ts';
import { encodeMessage } from '../../server/lib/solana/wire.ts';
import type { Sandbox, SandboxOptions } from '../../server/sandbox/sandbox.ts';
import { createSandbox } from '../../server/sandbox/sandbox.ts';
import { batch, call } from './stand-alone.ts';
import { freePort } from '../harness/programs/free-port.ts';

export const usdcMint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

export interface TestSandbox extends Sandbox {
  call<T>(method: string, ...params: unknown[]): Promise<T>;
  /** Several calls in one request, which are answered at the same moment. */
  batch<T>(calls: [method: string, ...params: unknown[]][]): Promise<T>;
}

export const temporaryDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'sandbox-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

/** Everything is final at once unless the options say otherwise. It is closed when the test ends. */
export const startSandbox = async (options: Partial<SandboxOptions> = {}): Promise<TestSandbox> => {
  const dataDir = options.dataDir ?? temporaryDir();
  const sandbox = await createSandbox({
    port: await freePort(),
    confirmMs: 0,
    finalizeMs: 0,
    log: createLog('silent'),
    ...options,
    dataDir,
  });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await sandbox.close();
    isOpen = false;
  };
  onTestFinished(close);
  return {
    ...sandbox,
    close,
    call: (method, ...params) => call(sandbox.rpcUrl, method, ...params),
    batch: (calls) => batch(sandbox.rpcUrl, calls),
  };
};

export interface Payer extends Keypair {
  readonly text: string;
}

export const newKey = (): Payer => {
  const key = keypairFromSeed(randomBytes(32));
  return { ...key, text: bs58.encode(key.address) };
};

type Caller = Pick<TestSandbox, 'call'>;

export const newPayer = async (sandbox: Caller, lamports = 1_000_000_000): Promise<Payer> => {
  const payer = newKey();
  await sandbox.call('requestAirdrop', payer.text, lamports);
  return payer;
};

export const latestBlockhash = async (
  sandbox: Caller,
): Promise<{ blockhash: string; lastValidBlockHeight: number }> =>
  (
    await sandbox.call<{ value: { blockhash: string; lastValidBlockHeight: number } }>('getLatestBlockhash', {
      commitment: 'processed',
    })
  ).value;

export interface SignedTransaction {
  wire: string;
  signature: string;
}

export const signed = (payer: Payer, blockhash: string, instructions: Instruction[]): SignedTransaction => {
  const message = encodeMessage(payer.address, bs58.decode(blockhash), instructions);
  const signature = payer.sign(message);
  return {
    wire: Buffer.concat([Uint8Array.of(1), signature, message]).toString('base64'),
    signature: bs58.encode(signature),
  };
};

export const transfer = (from: Payer, to: Uint8Array, lamports: number): Instruction => {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(BigInt(lamports), 4);
  return {
    program: programs.system,
    accounts: [
      { key: from.address, writable: true },
      { key: to, writable: true },
    ],
    data,
  };
};

export const memo = (text: string): Instruction => ({
  program: programs.memo,
  accounts: [],
  data: Buffer.from(text),
});

export const send = (sandbox: Caller, { wire }: SignedTransaction, config: object = {}): Promise<string> =>
  sandbox.call('sendTransaction', wire, { encoding: 'base64', preflightCommitment: 'processed', ...config });

export const balance = async (sandbox: Caller, address: string, commitment = 'processed'): Promise<number> =>
  (await sandbox.call<{ value: number }>('getBalance', address, { commitment })).value;

interface Status {
  slot: number;
  err: unknown;
  confirmationStatus: string;
  confirmations: number | null;
}

export const statuses = (
  sandbox: Caller,
  signatures: string[],
  config: object = { searchTransactionHistory: true },
): Promise<{ context: { slot: number }; value: (Status | null)[] }> =>
  sandbox.call('getSignatureStatuses', signatures, config);
