// A chain of its own and a seller on it, shared by a file of tests, and treasuries that may ask that seller. Before
// each test the seller is honest again, has its first offer, and has been shown nothing.
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { usdcMints } from '../../../server/contract/treasury/networks.ts';
import {
  openTreasury,
  rpcCall,
  openSandbox,
  type Options,
  type TestSandbox,
  type Treasury,
} from '../treasury.ts';
import { createX402Seller, deliver, type X402Seller } from './x402-seller.ts';

export let sandbox: TestSandbox;
export let seller: X402Seller;

export const useSeller = (): void => {
  let offer: X402Seller['offer'];
  // Only what has started, so that a failed start is the one error that is reported.
  const started: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    sandbox = await openSandbox();
    started.push(() => sandbox.close());
    seller = await createX402Seller(sandbox.rpcUrl);
    started.push(() => seller.close());
    offer = { ...seller.offer };
  });
  beforeEach(() => {
    seller.shown.length = 0;
    seller.offer = { ...offer };
    seller.asking = () => {};
    seller.free = (_request, response) => void response.end('free');
    seller.behave = async ({ settle, response }) => deliver(response, await settle());
  });
  afterAll(async () => {
    for (const close of started.toReversed()) await close();
  });
};

/** Micro-USDC that the seller has on the chain. */
export const receivedBySeller = async (): Promise<number> => {
  const mint = new PublicKey(usdcMints.sandbox);
  const account = getAssociatedTokenAddressSync(mint, new PublicKey(seller.payee)).toBase58();
  const { value } = await rpcCall(sandbox.rpcUrl, 'getTokenAccountBalance', [account]);
  return Number(value.amount);
};

/** A treasury on the seller's chain that may ask the seller, or `origin`. */
export const openBeside = (options: Options = {}, origin = seller.url): Promise<Treasury> => {
  const { rpcUrl } = sandbox;
  const own = ['--rpc', rpcUrl, '--ws', rpcUrl.replace('http', 'ws'), '--allow-origin', origin];
  const args = [...own, ...(options.args ?? [])];
  return openTreasury({ ...options, args });
};

/** The same with money to spend. */
export const openRich = async (options: Options = {}, origin = seller.url): Promise<Treasury> => {
  const treasury = await openBeside(options, origin);
  await treasury.client.post('/v1/sandbox/faucet', { amount: '100' });
  return treasury;
};
