// Invariant 6: a reservation is released only by denial, by cancelling what was never signed, or by proof from every RPC
// of a failure at `finalized` or of expiry; never by a timeout, an error while sending, or one of two RPCs that lies.
import { afterEach, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/audit.ts';
import { openFaultyTreasury, type FaultyTreasury } from '../harness/faulty-treasury.ts';
import { withResult } from '../harness/rpc-proxy.ts';
import { rpcCall, until } from '../harness/treasury.ts';

let treasury: FaultyTreasury;
afterEach(() => treasury.close());

const held = (): bigint => {
  const { store, time } = treasury.host.engine.context;
  return store.spend.at(treasury.agent.agentId, time.now()).open;
};
const stateOf = (id: string): string | undefined =>
  treasury.host.engine.context.store.transfers.get(id)?.state;
/** Past the 150 blocks in which a transaction can land. */
const outlive = (): Promise<unknown> => rpcCall(treasury.sandbox.rpcUrl, 'sandbox_warp', [400]);

describe('a payment whose bytes are lost', () => {
  it('keeps the money reserved while it may still land, and releases it by proof of expiry alone', async () => {
    treasury = await openFaultyTreasury();
    treasury.proxy.fault = (request, forward) => (request.method === 'sendTransaction' ? null : forward());
    const pending = await treasury.agent.pay('2', { prefer: 'wait=1', key: 'lost' });
    expect([pending.status, pending.body['status']]).toEqual([202, 'pending']);
    expect(held()).toBe(2_000_000n);
    const id = String(pending.body['paymentId']);
    await outlive();
    await until('proof of death', () => stateOf(id) === 'dead');
    expect(held()).toBe(0n);
    const told = await treasury.agent.pay('2', { key: 'lost' });
    expect([told.status, told.body['code']]).toEqual([502, 'payment_failed']);
    expect((await treasury.agent.pay('2', { key: 'lost' })).text).toBe(told.text);
    treasury.proxy.fault = null;
    expect((await treasury.agent.pay('2', { key: 'another' })).status).toBe(200);
  });
});

describe('an RPC that lies about a payment that landed', () => {
  const lies = {
    'gives the slot as the block height, and knows no signature': async (
      method: string,
      forward: () => Promise<unknown>,
    ) => {
      if (method === 'getSignatureStatuses')
        return withResult(forward, (result) => ({ ...result, value: result.value.map(() => null) }));
      if (method === 'getEpochInfo')
        return withResult(forward, (result) => ({ ...result, blockHeight: result.absoluteSlot + 1_000 }));
      if (method === 'getBlockHeight') return withResult(forward, (height: number) => height + 1_000);
      return forward();
    },
    'knows no signature, but shows the debit': async (method: string, forward: () => Promise<unknown>) =>
      method === 'getSignatureStatuses'
        ? withResult(forward, (result) => ({ ...result, value: result.value.map(() => null) }))
        : forward(),
    'has forgotten the blocks in question': async (method: string, forward: () => Promise<unknown>) => {
      if (method === 'getSignatureStatuses')
        return withResult(forward, (result) => ({ ...result, value: result.value.map(() => null) }));
      if (method === 'getSignaturesForAddress') return withResult(forward, () => []);
      if (method === 'getFirstAvailableBlock') return withResult(forward, () => 1_000_000);
      return forward();
    },
    'looks up on a node that lags behind': async (method: string, forward: () => Promise<unknown>) => {
      if (method === 'getSignatureStatuses')
        return withResult(forward, (result) => ({
          context: { slot: 1 },
          value: result.value.map(() => null),
        }));
      if (method === 'getSignaturesForAddress') return withResult(forward, () => []);
      return forward();
    },
  };

  it.each(Object.entries(lies))(
    'which %s: nothing is released, and the truth ends it',
    async (_title, lie) => {
      treasury = await openFaultyTreasury({ silent: true });
      treasury.proxy.fault = (request, forward) => lie(request.method, forward);
      const pending = await treasury.agent.pay('2', { prefer: 'wait=1' });
      expect(pending.status).toBe(202);
      const id = String(pending.body['paymentId']);
      await outlive();
      await until('the doubt to be stated', () => stateOf(id) === 'unknown');
      expect(held()).toBe(2_000_000n);
      expect(
        (await treasury.agent.client.get(`/v1/agents/${treasury.agent.agentId}/payments/${id}`)).body[
          'status'
        ],
      ).toBe('unknown');
      treasury.proxy.fault = null;
      await until('the truth', () => stateOf(id) === 'final');
      expect(clean(await audit(treasury.host))).toEqual(allWell);
    },
  );
});

describe('a chain that cannot be reached', () => {
  it('answers 503, spends nothing, and lets the same key try again', async () => {
    treasury = await openFaultyTreasury();
    treasury.proxy.fault = () => null;
    const { chain } = treasury.host.engine.context;
    // As if the blockhash that was kept ready had become too old.
    const lifetime = chain.lifetime;
    chain.lifetime = () => Promise.reject(new Error('no blockhash'));
    const refused = await treasury.agent.pay('1', { key: 'later' });
    expect([refused.status, refused.body['code']]).toEqual([503, 'chain_unreachable']);
    expect(held()).toBe(0n);
    chain.lifetime = lifetime;
    treasury.proxy.fault = null;
    expect((await treasury.agent.pay('1', { key: 'later' })).status).toBe(200);
  });
});
