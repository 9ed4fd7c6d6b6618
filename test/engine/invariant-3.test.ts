// Invariant 3: one live signature for each payment; sending again means the same bytes.
import { afterEach, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/audit.ts';
import { openFaultyTreasury, type FaultyTreasury } from '../harness/faulty-treasury.ts';
import { withResult } from '../harness/rpc-proxy.ts';
import { until } from '../harness/treasury.ts';

let treasury: FaultyTreasury;
afterEach(() => treasury.close());

const sentBy = ({ proxy }: FaultyTreasury): string[] =>
  proxy.seen.filter(({ method }) => method === 'sendTransaction').map(({ params }) => String(params[0]));
const held = (): bigint => {
  const { store, time } = treasury.host.engine.context;
  return store.spend.at(treasury.agent.agentId, time.now()).open;
};
const stateOf = (id: string): string | undefined =>
  treasury.host.engine.context.store.transfers.get(id)?.state;

describe('one live signature', () => {
  it('sends the same bytes again until they land, and makes one payment', async () => {
    treasury = await openFaultyTreasury();
    treasury.proxy.seen.length = 0;
    let lost = 0;
    treasury.proxy.fault = (request, forward) =>
      request.method === 'sendTransaction' && (lost += 1) <= 2 ? null : forward();
    const paid = await treasury.agent.pay('1', { prefer: 'wait=20' });
    expect(paid.status).toBe(200);
    const sent = sentBy(treasury);
    expect(sent.length).toBeGreaterThanOrEqual(3);
    expect(new Set(sent).size).toBe(1);
    await until('it to be final', () => stateOf(String(paid.body['paymentId'])) === 'final');
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });

  it('is paid when only the answers are lost', async () => {
    treasury = await openFaultyTreasury({ silent: true });
    treasury.proxy.fault = async (request, forward) => {
      if (request.method !== 'sendTransaction') return forward();
      await forward();
      return null;
    };
    const paid = await treasury.agent.pay('1', { prefer: 'wait=20' });
    expect(paid.status).toBe(200);
    await until('it to be final', () => stateOf(String(paid.body['paymentId'])) === 'final');
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });

  it('takes a confirmation back when a fork drops it, and signs nothing new', async () => {
    treasury = await openFaultyTreasury({ sandboxArgs: ['--confirm-ms', '0', '--finalize-ms', '600000'] });
    const paid = await treasury.agent.pay('1');
    expect(paid.status).toBe(200);
    const id = String(paid.body['paymentId']);
    const signature = String(paid.body['txSignature']);
    treasury.proxy.fault = (request, forward) =>
      request.method === 'getSignatureStatuses'
        ? withResult(forward, (result) => ({ ...result, value: result.value.map(() => null) }))
        : forward();
    await until('the fall back', () => stateOf(id) === 'sent');
    expect(held()).toBe(1_000_000n);
    treasury.proxy.fault = null;
    await until('it to be seen again', () => stateOf(id) === 'seen');
    expect(treasury.host.engine.context.store.transfers.get(id)?.signed?.signature).toBe(signature);
  });
});
