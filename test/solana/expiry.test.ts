// A proof that signed bytes can never land: every piece of evidence is needed, and none is enough alone.
import { Keypair, PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import type { Transfer } from '../../server/engine/ports.ts';
import { proveEndedOn } from '../../server/solana/expiry.ts';
import { tokenAccountAddress } from '../../server/solana/message.ts';
import type { Rpc } from '../../server/solana/rpc.ts';
import {
  signature,
  silentNode as silent,
  signedTransfer as transfer,
  usdcMint as mint,
} from './silent-node.ts';

const prove = async (answers: object, one = transfer) => {
  const rpc: Rpc = {
    call: async (method, _params, result) =>
      result.parse((answers as Readonly<Record<string, unknown>>)[method]),
    close() {},
  };
  const [death] = await proveEndedOn(rpc, [one], mint, { byName: () => false, move: () => false });
  return death;
};

describe('signed bytes', () => {
  it('are dead when a node that has every block since shows no trace of them', async () => {
    expect(await prove(silent)).toMatchObject({ dead: true });
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
    await expect(prove({ ...silent, getSignatureStatuses })).rejects.toThrow('a list of 1 entries');
  });

  it.each(Object.entries(doubts))('%s are not', async (_case, doubt) => {
    expect(await prove({ ...silent, ...doubt })).toMatchObject({ dead: false });
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
    expect(await prove({ ...silent, ...debitBy(owner) }, draw)).toMatchObject({ dead: true });
  });

  it('is not while the treasury itself took money from it that no row explains', async () => {
    expect(await prove({ ...silent, ...debitBy(treasury) }, draw)).toMatchObject({ dead: false });
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
    await proveEndedOn(rpc, [draw], mint, { byName: () => false, move: () => false });
    expect(asked).toEqual([tokenAccountAddress(source, mint)]);
  });
});
