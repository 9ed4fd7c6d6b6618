// A denial that the owner can undo: until it takes effect nothing else decides the request, and afterwards it stands.
import { describe, expect, it } from 'vitest';
import { endDueApprovals } from '../../server/engine/payment/approval.ts';
import type { Answer } from '../harness/http-client.ts';
import { until } from '../harness/treasury.ts';
import {
  approval,
  client,
  grant,
  minute,
  newAgent,
  pass,
  pathOf,
  settled,
  treasury,
  useTreasury,
} from './approval-treasury.ts';

useTreasury();

const seconds = 1_000;
const pathTo = (approvalId: unknown, what: string): string => `/v1/approvals/${String(approvalId)}/${what}`;
const deny = (approvalId: unknown, afterMs = 6 * seconds): Promise<Answer> =>
  client.post(pathTo(approvalId, 'deny'), { afterMs });
const undo = (approvalId: unknown): Promise<Answer> => client.post(pathTo(approvalId, 'undo-deny'));
const sweep = (): void => endDueApprovals(treasury.host.engine.context);
const waitingCount = async (): Promise<unknown> =>
  (await client.get('/v1/dashboard')).body['pendingApprovals'];

describe('a denial that can be undone', () => {
  it('waits, leaves the count of waiting requests at once, and takes effect at its time', async () => {
    const agent = await newAgent();
    const { body } = await agent.pay('1', { key: 'held' });
    const before = Number(await waitingCount());
    const { status, body: denied } = await deny(body['approvalId']);
    expect([status, denied['status']]).toEqual([200, 'pending']);
    expect(Date.parse(denied['denyAt']) - treasury.host.engine.context.time.now()).toBe(6 * seconds);
    expect(await waitingCount()).toBe(before - 1);
    pass(6 * seconds - 1);
    sweep();
    expect((await approval(body['approvalId']))['status']).toBe('pending');
    pass(1);
    await until('it to be denied', async () => (await approval(body['approvalId']))['status'] === 'denied');
    expect(await approval(body['approvalId'])).toMatchObject({ status: 'denied', denyAt: null });
    const replay = await agent.pay('1', { key: 'held' });
    expect([replay.status, replay.body['code']]).toEqual([402, 'approval_denied']);
  });

  it('prevents a grant, even one that was under way', async () => {
    for (let race = 0; race < 20; race += 1) {
      const agent = await newAgent({ approveAbove: '0' }, { allocate: '1' });
      const { body } = await agent.pay('0.5');
      const { hash } = await approval(body['approvalId']);
      const [no, yes] = await Promise.all([
        deny(body['approvalId']),
        client.post(pathTo(body['approvalId'], 'grant'), { hash }),
      ]);
      const isDenied = no.status === 200;
      expect([yes.status, no.status].toSorted()).toEqual([200, 409]);
      expect((await approval(body['approvalId']))['status']).toBe(isDenied ? 'pending' : 'granted');
      if (!isDenied) continue;
      const refused = await grant(body['approvalId']);
      expect([refused.status, refused.body['error']]).toEqual([
        409,
        'You declined this a moment ago. Undo that before you allow it.',
      ]);
      pass(6 * seconds);
      sweep();
      expect(await settled(body['paymentId'])).toBe('denied');
    }
  });

  it('is cancelled by an undo, and the request can be granted again', async () => {
    const agent = await newAgent();
    const { body } = await agent.pay('1');
    await deny(body['approvalId']);
    const { status, body: undone } = await undo(body['approvalId']);
    expect([status, undone['status'], undone['denyAt']]).toEqual([200, 'pending', null]);
    pass(7 * seconds);
    sweep();
    expect((await grant(body['approvalId'])).body['status']).toBe('granted');
    expect(await settled(body['paymentId'])).toBe('final');
  });

  it('cannot be undone before it was given, or once it has taken effect', async () => {
    const agent = await newAgent();
    const { body } = await agent.pay('1');
    expect((await undo(body['approvalId'])).status).toBe(409);
    await deny(body['approvalId'], 1);
    pass(1);
    const late = await undo(body['approvalId']);
    expect([late.status, late.body['code']]).toEqual([409, 'conflict']);
    sweep();
    expect((await approval(body['approvalId']))['status']).toBe('denied');
  });

  it('is not delayed by a second one, and is hastened by one without delay', async () => {
    const agent = await newAgent();
    const { body } = await agent.pay('1');
    const first = (await deny(body['approvalId'])).body['denyAt'];
    pass(seconds);
    expect((await deny(body['approvalId'])).body['denyAt']).toBe(first);
    expect((await deny(body['approvalId'], 0)).body['status']).toBe('denied');
  });

  it('stands when a stop, a revoked key or the deadline ends the request first', async () => {
    const frozen = await newAgent();
    const { body: one } = await frozen.pay('1');
    await deny(one['approvalId']);
    await client.post('/v1/freeze');
    await client.post('/v1/unfreeze');
    const late = await newAgent();
    const { body: two } = await late.pay('1');
    pass(15 * minute - seconds);
    await deny(two['approvalId']);
    pass(seconds);
    sweep();
    for (const [agent, { approvalId, paymentId }] of [
      [frozen, one],
      [late, two],
    ] as const) {
      expect((await approval(approvalId))['status']).toBe('denied');
      const { body } = await client.get(`${pathOf(agent, 'payments')}/${String(paymentId)}`);
      expect(body).toMatchObject({ status: 'denied', failure: { code: 'approval_denied' } });
    }
  });

  it('is the owner’s alone to give and to undo', async () => {
    const agent = await newAgent();
    const { body } = await agent.pay('1');
    for (const what of ['deny', 'undo-deny'])
      expect((await agent.client.post(pathTo(body['approvalId'], what))).status).toBe(403);
  });
});
