// A proof that signed bytes can never land: every piece of evidence is needed, and none is enough alone.
import { describe, expect, it } from 'vitest';
import type { Transfer } from '../../server/engine/ports.ts';
import { proveExpiredOn } from '../../server/solana/expiry.ts';
import type { Rpc } from '../../server/solana/rpc.ts';

const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const signedAt = { blockhash: 'hash', slot: 1_000, height: 900, lastValidHeight: 1_050 };
const transfer = {
  wallet: 'GokivDYuQXPZCWRkwMhdH2h91KpDQXBEmpgBgs55bnpH',
  asset: 'USDC',
  purchase: null,
  signed: { messageHash: 'message', signature: 'signature', lifetime: signedAt },
} as unknown as Transfer;

/** A node that shows no trace of the transaction, long after its lifetime. */
const silent = {
  getEpochInfo: { absoluteSlot: 2_000, blockHeight: 1_900 },
  getSignatureStatuses: { context: { slot: 2_000 }, value: [null] },
  getFirstAvailableBlock: 1_000,
  getSignaturesForAddress: [],
};
const prove = async (answers: object) => {
  const rpc: Rpc = {
    call: async (method, _params, result) =>
      result.parse((answers as Readonly<Record<string, unknown>>)[method]),
    close() {},
  };
  const [death] = await proveExpiredOn(rpc, [transfer], mint, { byName: () => false, move: () => false });
  return death;
};

describe('signed bytes', () => {
  it('are dead when a node that has every block since shows no trace of them', async () => {
    expect(await prove(silent)).toMatchObject({ dead: true });
  });

  const doubts: Record<string, object> = {
    'whose node no longer has the block of their signing': { getFirstAvailableBlock: 1_001 },
    'that can still land': { getEpochInfo: { absoluteSlot: 1_150, blockHeight: 1_050 } },
    'whose node gives the slot as the height': { getEpochInfo: { absoluteSlot: 2_000, blockHeight: 2_000 } },
    'that were looked up on a node that lags behind': {
      getSignatureStatuses: { context: { slot: 1_999 }, value: [null] },
    },
    'that were looked up together with nothing': {
      getSignatureStatuses: { context: { slot: 2_000 }, value: [] },
    },
    'that the history of their wallet shows': {
      getSignaturesForAddress: [{ signature: 'signature', slot: 1_000, err: null, blockTime: 1 }],
      getTransaction: null,
    },
  };
  it.each(Object.entries(doubts))('%s are not', async (_case, doubt) => {
    expect(await prove({ ...silent, ...doubt })).toMatchObject({ dead: false });
  });
});
