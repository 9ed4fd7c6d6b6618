// The treasury of the test files of /v1: each file has one of its own, with an agent that can pay.
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll } from 'vitest';
import type { Answer } from '../harness/http-client.ts';
import {
  deploy,
  openTreasury,
  until,
  type Options,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';
import { checked, type Checked } from './contract/contract-client.ts';

export let treasury: Treasury;
/** Calls as the owner, and checks every answer against the contract. */
export let client: Checked;
export let payer: TestAgent;

let up = 0;
/** The time on a clock that stands still until `pass` moves it. */
export let wall = Date.now();
export const pass = (ms: number): void => {
  wall += ms;
  up += ms;
};
export const standingClock = { wall: () => wall, monotonic: () => up };

/** @param options is asked once earlier `beforeAll` hooks are done */
export const useTreasury = (options: () => Options = () => ({})): void => {
  beforeAll(async () => {
    wall = Date.now();
    treasury = await openTreasury(options());
    client = checked(treasury.client);
    payer = await deploy(client, 'payer', { dailyBudget: '100', maxPerPayment: '2', allocate: '50' });
  });
  afterAll(() => treasury.close());
};

/** @throws when it is refused */
export const asOwner = async (path: string, body: object = {}): Promise<Answer['body']> => {
  const answer = await client.post(`/v1/${path}`, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
};
/** The code of the refusal, or `paid`. */
export const codeOf = async (agent: Pick<TestAgent, 'pay'>, amount: string): Promise<unknown> => {
  const { status, body } = await agent.pay(amount);
  return status === 200 ? 'paid' : body['code'];
};

export const settled = (): Promise<unknown> =>
  until('all to be final', () => treasury.host.engine.context.store.transfers.open().length === 0);
export const newWallet = (): string => Keypair.generate().publicKey.toBase58();
export const isIso = (text: string): boolean => new Date(text).toISOString() === text;
