// The treasury of the test files of approvals: a clock that tests move, and the owner’s part of approving.
import { afterAll, expect } from 'vitest';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import type { Answer } from '../harness/http-client.ts';
import { deploy, until, type TestAgent } from '../harness/treasury.ts';
import {
  client,
  settled as allSettled,
  standingClock,
  treasury,
  useTreasury as useApiTreasury,
} from './api-treasury.ts';

export { client, pass, treasury, wall } from './api-treasury.ts';
export const minute = 60_000;

export const useTreasury = (): void => {
  useApiTreasury(() => ({ clock: standingClock, sockets: 128 }));
  afterAll(async () => {
    await allSettled();
    expect(clean(await audit(treasury.host))).toEqual(allWell);
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
