// What it takes to release money: a proof that signed bytes can never land, of which every piece of evidence is needed and
// none is enough alone; and what two RPCs show alike.
import { Keypair, PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import type { Sighting, Transfer } from '../../server/engine/ports.ts';
import { proveEndedOn } from '../../server/solana/expiry.ts';
import { tokenAccountAddress } from '../../server/solana/message.ts';
import type { NodeRpc, Rpc } from '../../server/solana/rpc/rpc.ts';
import { proveEnded, sightings } from '../../server/solana/rpc/witnesses.ts';

const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const signature = bs58.encode(Buffer.alloc(64, 7));

const transfer = {
  wallet: 'GokivDYuQXPZCWRkwMhdH2h91KpDQXBEmpgBgs55bnpH',
  asset: 'USDC',
  source: null,
  purchase: null,
  signed: {
    messageHash: 'message',
    signature,
    lifetime: { blockhash: 'hash', slot: 1_000, height: 900, lastValidHeight: 1_050 },
  },
} as unknown as Transfer;

/** What a node answers that shows no trace of the transfer, long after its lifetime. */
const silent = {
  getEpochInfo: { absoluteSlot: 2_000, blockHeight: 1_900 },
  getSignatureStatuses: { context: { slot: 2_000 }, value: [null] },
  isBlockhashValid: { context: { slot: 2_000 }, value: false },
  getFirstAvailableBlock: 1_000,
  getSignaturesForAddress: [],
};

const unexplained = { byName: () => false, move: () => false };
const proveOn = async (answers: object, one = transfer) => {
  const rpc: Rpc = {
    call: async (method, _params, result) =>
      result.parse((answers as Readonly<Record<string, unknown>>)[method]),
    close() {},
  };
  const [death] = await proveEndedOn(rpc, [one], mint, unexplained);
  return death;
};

describe('signed bytes', () => {
  it('are dead when a node that has every block since shows no trace of them', async () => {
    expect(await proveOn(silent)).toMatchObject({ dead: true });
  });

  const doubts: Record<string, object> = {
    'whose blockhash the node still takes': { isBlockhashValid: { context: { slot: 2_000 }, value: true } },
    'whose blockhash was looked up on a node that lags behind': {
      isBlockhashValid: { context: { slot: 1_999 }, value: false },
    },
    'whose node no longer has the block of their signing': { getFirstAvailableBlock: 1_001 },
    'that can still land': { getEpochInfo: { absoluteSlot: 1_150, blockHeight: 1_050 } },
    'whose node gives the slot as the height': { getEpochInfo: { absoluteSlot: 2_000, blockHeight: 2_000 } },
    'that were looked up on a node that lags behind': {
      getSignatureStatuses: { context: { slot: 1_999 }, value: [null] },
    },
    'that the history of their wallet shows': {
      getSignaturesForAddress: [{ signature, slot: 1_000, err: null, blockTime: 1 }],
      getTransaction: null,
    },
  };
  it('are not proven dead by an answer about other signatures', async () => {
    const getSignatureStatuses = { context: { slot: 2_000 }, value: [] };
    await expect(proveOn({ ...silent, getSignatureStatuses })).rejects.toThrow('a list of 1 entries');
  });

  it.each(Object.entries(doubts))('%s are not', async (_case, doubt) => {
    expect(await proveOn({ ...silent, ...doubt })).toMatchObject({ dead: false });
  });
});

describe('a draw on a cold treasury', () => {
  const [owner, treasury] = [Keypair.generate(), Keypair.generate()];
  const source = owner.publicKey.toBase58();
  const draw = { ...transfer, wallet: treasury.publicKey.toBase58(), source } as Transfer;
  const balance = (amount: string) => [{ accountIndex: 1, mint, owner: source, uiTokenAmount: { amount } }];
  const unsigned = bs58.encode(Buffer.alloc(64));
  /** The node shows a debit of the cold account that no row explains. */
  const debitBy = (signer: Keypair): object => {
    const { publicKey } = signer;
    const account = new PublicKey(tokenAccountAddress(source, mint));
    const instructions = [SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: account, lamports: 1 })];
    const recentBlockhash = PublicKey.default.toBase58();
    const message = new TransactionMessage({ payerKey: publicKey, recentBlockhash, instructions });
    const wire = Buffer.from(new VersionedTransaction(message.compileToV0Message()).serialize());
    return {
      getSignaturesForAddress: [{ signature: unsigned, slot: 1_500, err: null, blockTime: 1 }],
      getTransaction: {
        slot: 1_500,
        blockTime: 1,
        transaction: [wire.toString('base64'), 'base64'],
        meta: { err: null, fee: 5_000, preTokenBalances: balance('9'), postTokenBalances: balance('4') },
      },
    };
  };

  it('is dead although its owner has spent from the account since', async () => {
    expect(await proveOn({ ...silent, ...debitBy(owner) }, draw)).toMatchObject({ dead: true });
  });

  it('is not while the treasury itself took money from it that no row explains', async () => {
    expect(await proveOn({ ...silent, ...debitBy(treasury) }, draw)).toMatchObject({ dead: false });
  });

  it('is looked for in the history of the account that pays', async () => {
    const asked: unknown[] = [];
    const rpc: Rpc = {
      call: async (method, params, result) => {
        if (method === 'getSignaturesForAddress') asked.push(params[0]);
        return result.parse((silent as Readonly<Record<string, unknown>>)[method]);
      },
      close() {},
    };
    await proveEndedOn(rpc, [draw], mint, unexplained);
    expect(asked).toEqual([tokenAccountAddress(source, mint)]);
  });
});

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
const prove = async (...nodes: readonly [NodeRpc, ...NodeRpc[]]) => {
  const [proof] = await proveEnded(nodes, mint, [transfer], unexplained);
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
    const liar = node(silent);
    expect(await prove(liar, node(silent))).toMatchObject({ dead: true });
    expect(await prove(liar, node({ ...silent, ...seen() }))).toMatchObject({ dead: false });
    expect(await prove(node({ ...silent, ...seen() }), liar)).toMatchObject({ dead: false });
  });

  it('waits for an RPC that is down', async () => {
    await expect(prove(node(silent), node({ getEpochInfo: down }, 1))).rejects.toBe(down);
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
    expect(await found(node(seen()), node(silent))).toBeNull();
    expect(await found(node(silent), node(seen()))).toBeNull();
  });

  it('is taken from the RPC that answers, while the other is down', async () => {
    expect((await found(node(seen()), node({ getSignatureStatuses: down }, 1)))?.slot).toBe(1_010);
    expect((await found(node({ getSignatureStatuses: down }), node(seen())))?.slot).toBe(1_010);
  });
});
