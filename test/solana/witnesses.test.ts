// What two RPCs show alike, and what it takes to release money.
import { describe, expect, it } from 'vitest';
import type { Sighting } from '../../server/engine/ports.ts';
import type { NodeRpc } from '../../server/solana/rpc.ts';
import { proveEnded, sightings } from '../../server/solana/witnesses.ts';
import { signature, silentNode, signedTransfer, usdcMint } from './silent-node.ts';

const down = new Error('down');

const node = (answers: Readonly<Record<string, unknown>>, downSince: number | null = null): NodeRpc => {
  const call: NodeRpc['call'] = async (...[method, , result]) => {
    if (answers[method] === down) throw down;
    return result.parse(answers[method]);
  };
  return {
    call,
    callOnce: call,
    state: () => ({ host: 'node', downSince, why: null }),
    isBusy: () => false,
    close() {},
  };
};
const explained = { byName: () => false, move: () => false };
const prove = async (...nodes: readonly [NodeRpc, ...NodeRpc[]]) => {
  const [proof] = await proveEnded(nodes, usdcMint, [signedTransfer], explained);
  return proof;
};
const seen = (change: object = {}) => ({
  getSignatureStatuses: {
    context: { slot: 2_000 },
    value: [{ slot: 1_010, err: null, confirmationStatus: 'finalized', ...change }],
  },
});

describe('a proof of expiry', () => {
  it('of one RPC alone releases nothing', async () => {
    const liar = node(silentNode);
    expect(await prove(liar, node(silentNode))).toMatchObject({ dead: true });
    expect(await prove(liar, node({ ...silentNode, ...seen() }))).toMatchObject({ dead: false });
    expect(await prove(node({ ...silentNode, ...seen() }), liar)).toMatchObject({ dead: false });
  });

  it('waits for an RPC that is down', async () => {
    await expect(prove(node(silentNode), node({ getEpochInfo: down }, 1))).rejects.toBe(down);
  });
});

const found = async (...nodes: readonly [NodeRpc, ...NodeRpc[]]): Promise<Sighting | null | undefined> =>
  (await sightings(nodes, [signature])).found[0];

describe('a signature', () => {
  const cases: Record<string, [object, string | null]> = {
    'that both show': [{}, 'finalized'],
    'that the other shows as confirmed only': [{ confirmationStatus: 'confirmed' }, 'confirmed'],
    'that the other shows in another slot': [{ slot: 1_011 }, null],
    'that the other shows as failed': [{ err: 'AccountInUse' }, null],
  };
  it.each(Object.entries(cases))('%s', async (_case, [change, commitment]) => {
    const sighting = await found(node(seen()), node(seen(change)));
    expect(sighting?.commitment ?? null).toBe(commitment);
  });

  it('that the other does not know is not seen', async () => {
    expect(await found(node(seen()), node(silentNode))).toBeNull();
    expect(await found(node(silentNode), node(seen()))).toBeNull();
  });

  it('is taken from the RPC that answers, while the other is down', async () => {
    expect((await found(node(seen()), node({ getSignatureStatuses: down }, 1)))?.slot).toBe(1_010);
    expect((await found(node({ getSignatureStatuses: down }), node(seen())))?.slot).toBe(1_010);
  });
});
