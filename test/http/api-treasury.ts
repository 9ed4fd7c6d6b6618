// The treasury of the test files of /v1: each file has one of its own, with an agent that can pay.
import { Keypair } from '@solana/web3.js';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import {
  deploy,
  openTreasury,
  removeFolder,
  temporaryFolder,
  until,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';
import { checked, type Checked } from './contract-client.ts';

export let treasury: Treasury;
/** Calls as the owner, and checks every answer against the contract. */
export let client: Checked;
export let payer: TestAgent;
export let logFile: string;

export const useTreasury = (): void => {
  const logs = temporaryFolder();
  beforeAll(async () => {
    logFile = join(logs, 'log');
    treasury = await openTreasury({ logFile });
    client = checked(treasury.client);
    payer = await deploy(client, 'payer', { dailyBudget: '100', maxPerPayment: '2', allocate: '50' });
  });
  afterAll(async () => {
    await treasury.close();
    removeFolder(logs);
  });
};

export const settled = (): Promise<unknown> =>
  until('all to be final', () => treasury.host.engine.context.store.transfers.open().length === 0);
export const newWallet = (): string => Keypair.generate().publicKey.toBase58();
export const isIso = (text: string): boolean => new Date(text).toISOString() === text;
