// The treasury of the test files of approvals: a clock that tests move, and the owner’s part of approving.
import { afterAll, beforeAll, expect } from 'vitest';
import { audit, clean, allWell } from '../harness/audit.ts';
import { type Answer } from '../harness/http-client.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { checked, type Checked } from './contract-client.ts';

let up = 0;
/** The time on the treasury’s clock. */
export let wall = Date.now();
export const pass = (ms: number): void => {
  wall += ms;
  up += ms;
};
export const minute = 60_000;

export let treasury: Treasury;
export let client: Checked;

export const useTreasury = (): void => {
  beforeAll(async () => {
    treasury = await openTreasury({ clock: { wall: () => wall, monotonic: () => up }, sockets: 128 });
    client = checked(treasury.client);
  });
  afterAll(async () => {
    const { store } = treasury.host.engine.context;
    await until('all to be final', () => store.transfers.open().length === 0);
    expect(clean(await audit(treasury.host))).toEqual(allWell);
    await treasury.close();
  });
};

let count = 0;
export const newAgent = (policy: object = { approveAbove: '0.5' }, more: object = {}): Promise<TestAgent> =>
  deploy(client, `agent-${(count += 1)}`, { dailyBudget: '10', maxPerPayment: '5', policy, ...more });

export const approval = async (id: unknown): Promise<Answer['body']> =>
  (await client.get(`/v1/approvals/${String(id)}`)).body;
export const grant = async (id: unknown, more: object = {}): Promise<Answer> =>
  client.post(`/v1/approvals/${String(id)}/grant`, { hash: (await approval(id))['hash'], ...more });
export const settled = (paymentId: unknown): Promise<string> =>
  until(`payment ${String(paymentId)}`, () => {
    const state = treasury.host.engine.context.store.transfers.get(String(paymentId))?.state;
    return state === 'awaiting_approval' || state === 'reserved' || state === 'signed' || state === 'sent'
      ? undefined
      : state;
  });
export const pathOf = (agent: TestAgent, what: string): string => `/v1/agents/${agent.agentId}/${what}`;
