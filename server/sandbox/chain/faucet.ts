// The source of the sandbox's money: one key that holds SOL and issues USDC. Gifts arrive as ordinary transactions,
// so that deposits look as they do on a real network.
import { randomBytes } from 'node:crypto';

import { AppError } from '../../errors.ts';
import { programs, usdcMint } from './account.ts';
import type { Bank } from './bank.ts';
import { errorText } from './transaction-error.ts';
import type { Keypair } from './keypair.ts';
import { tokenAccountOf } from '../../lib/solana/derived-address.ts';
import {
  decodeTransaction,
  encodeMessage,
  encodeTransaction,
  type Instruction,
} from '../../lib/solana/wire.ts';

export interface Faucet {
  /** All return the signature of the transaction that landed. */
  giveSol(to: Uint8Array, lamports: bigint): Uint8Array;
  /** Opens the owner's token account if there is none; 0 does only that. In micro-USDC. */
  giveUsdc(owner: Uint8Array, units: bigint): Uint8Array;
  /** The issuer's own act on the owner's token account; false thaws it. */
  freezeUsdc(owner: Uint8Array, frozen: boolean): Uint8Array;
}

export const createFaucet = (bank: Bank, key: Keypair): Faucet => {
  const send = (instructions: Instruction[]): Uint8Array => {
    const { blockhash } = bank.latestBlockhash('processed');
    const message = encodeMessage(key.address, blockhash, [...instructions, uniqueMemo()]);
    const signature = key.sign(message);
    const wire = encodeTransaction([signature], message);
    const { err } = bank.submit(decodeTransaction(wire), 'processed');
    if (err !== null) throw new AppError('bad_request', `The faucet could not do this: ${errorText(err)}.`);
    return signature;
  };
  return {
    giveSol: (to, lamports) => send([transferSol(key.address, to, lamports)]),
    giveUsdc: (owner, units) => {
      const account = tokenAccountOf(owner, usdcMint);
      const open = openTokenAccount(key.address, account, owner);
      return send(units === 0n ? [open] : [open, mintTo(account, key.address, units)]);
    },
    freezeUsdc: (owner, frozen) => send([freeze(tokenAccountOf(owner, usdcMint), key.address, frozen)]),
  };
};

const readable = (key: Uint8Array): { key: Uint8Array; writable: boolean } => ({ key, writable: false });
const writable = (key: Uint8Array): { key: Uint8Array; writable: boolean } => ({ key, writable: true });

/** Two equal gifts under one blockhash would be one transaction. */
const uniqueMemo = (): Instruction => ({
  program: programs.memo,
  accounts: [],
  data: Buffer.from(`faucet:${randomBytes(8).toString('hex')}`),
});

const transferSol = (from: Uint8Array, to: Uint8Array, lamports: bigint): Instruction => {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(lamports, 4);
  return { program: programs.system, accounts: [writable(from), writable(to)], data };
};

const openTokenAccount = (payer: Uint8Array, account: Uint8Array, owner: Uint8Array): Instruction => ({
  program: programs.associatedToken,
  accounts: [
    writable(payer),
    writable(account),
    readable(owner),
    readable(usdcMint),
    readable(programs.system),
    readable(programs.token),
  ],
  data: Uint8Array.of(1),
});

const mintTo = (account: Uint8Array, authority: Uint8Array, units: bigint): Instruction => {
  const data = Buffer.alloc(9);
  data[0] = 7;
  data.writeBigUInt64LE(units, 1);
  return {
    program: programs.token,
    accounts: [writable(usdcMint), writable(account), readable(authority)],
    data,
  };
};

const freeze = (account: Uint8Array, authority: Uint8Array, frozen: boolean): Instruction => ({
  program: programs.token,
  accounts: [writable(account), readable(usdcMint), readable(authority)],
  data: Uint8Array.of(frozen ? 10 : 11),
});
