// The one codec of Solana's transactions, and the one derivation of token accounts, beside web3.js and spl-token.
import { randomBytes } from 'node:crypto';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import {
  Keypair,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOnCurve, tokenAccountOf } from '../../server/lib/solana/derived-address.ts';
import {
  decodeMessage,
  decodeTransaction,
  encodeMessage,
  encodeTransaction,
} from '../../server/lib/solana/wire.ts';

const [payer, wallet, from, to, program, blockhash] = Array.from({ length: 6 }, () => randomBytes(32)) as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
  Buffer,
  Buffer,
];
const instructions = [
  { program, accounts: [], data: randomBytes(200) },
  {
    program,
    accounts: [
      { key: from, writable: true },
      { key: to, writable: false },
      { key: wallet, writable: false, signer: true },
      { key: to, writable: true },
    ],
    data: randomBytes(9),
  },
];

describe.each(['legacy', 0] as const)('a message of version %s', (version) => {
  const message = encodeMessage(payer, blockhash, instructions, version);
  const wire = encodeTransaction([randomBytes(64), randomBytes(64)], message);

  it('is read as it was written, by web3.js too', () => {
    const read = decodeTransaction(wire);
    expect(read.message).toMatchObject({
      version,
      requiredSignatures: 2,
      readonlySigned: 1,
      readonlyUnsigned: 1,
    });
    expect(read.message.keys).toEqual([payer, wallet, from, to, program]);
    expect(read.message.instructions.map(({ accounts }) => [...accounts])).toEqual([[], [2, 3, 1, 3]]);
    expect(read.message.bytes).toEqual(message);

    const official = VersionedMessage.deserialize(message);
    expect(official.staticAccountKeys.map((key) => key.toBuffer())).toEqual(read.message.keys);
    expect(official.recentBlockhash).toBe(bs58.encode(blockhash));
    expect(Buffer.from(official.serialize())).toEqual(message);
    expect(Buffer.from(VersionedTransaction.deserialize(wire).serialize())).toEqual(wire);
  });

  it('has the bytes that web3.js gives it, whatever accounts its instructions share', () => {
    const key = fc.constantFrom(payer, wallet, from, to, program);
    const accounts = fc.array(fc.record({ key, writable: fc.boolean(), signer: fc.boolean() }), {
      maxLength: 6,
    });
    const written = fc.record({ program: key, accounts, data: fc.uint8Array({ maxLength: 200 }) });
    fc.assert(
      fc.property(fc.array(written, { maxLength: 5 }), (some) => {
        const official = new TransactionMessage({
          payerKey: new PublicKey(payer),
          recentBlockhash: bs58.encode(blockhash),
          instructions: some.map((one) => {
            const keys = one.accounts.map((account) => ({
              pubkey: new PublicKey(account.key),
              isSigner: account.signer,
              isWritable: account.writable,
            }));
            const programId = new PublicKey(one.program);
            return new TransactionInstruction({ programId, keys, data: Buffer.from(one.data) });
          }),
        });
        const compiled = version === 0 ? official.compileToV0Message() : official.compileToLegacyMessage();
        expect(encodeMessage(payer, blockhash, some, version)).toEqual(Buffer.from(compiled.serialize()));
      }),
    );
  });

  it('is refused when it is cut short, when something follows it, and with another number of signatures', () => {
    for (let end = 0; end < wire.length; end += 1)
      expect(() => decodeTransaction(wire.subarray(0, end))).toThrow();
    expect(() => decodeTransaction(Buffer.concat([wire, Buffer.of(0)]))).toThrow('trailing bytes');
    expect(() => decodeTransaction(encodeTransaction([randomBytes(64)], message))).toThrow(
      'number of signatures',
    );
  });

  it('is refused with a length in a longer form, and of a later version', () => {
    const count = version === 0 ? 4 : 3;
    const longer = Buffer.concat([
      message.subarray(0, count),
      Buffer.of(0x85, 0),
      message.subarray(count + 1),
    ]);
    expect(() => decodeMessage(longer)).toThrow('shortest form');
    if (version === 0)
      expect(() => decodeMessage(Buffer.concat([Buffer.of(0x81), message.subarray(1)]))).toThrow('version');
  });

  it('is refused when its header or an instruction names what is not there', () => {
    const start = version === 0 ? 1 : 0;
    for (const [at, byte] of [
      [start, 0],
      [start + 1, 2],
      [start + 2, 4],
    ] as const) {
      const changed = Buffer.from(message);
      changed[at] = byte;
      expect(() => decodeMessage(changed)).toThrow('sanitize');
    }
    const first = start + 4 + 5 * 32 + 32 + 1;
    for (const named of [0, 5]) {
      const changed = Buffer.from(message);
      changed[first] = named;
      expect(() => decodeMessage(changed)).toThrow('sanitize');
    }
  });
});

it('is not written where it would be larger than a packet: with so many accounts, an index would name another one', () => {
  const accounts = Array.from({ length: 300 }, () => ({ key: randomBytes(32), writable: false }));
  expect(() => encodeMessage(payer, blockhash, [{ program, accounts, data: Buffer.alloc(0) }])).toThrow(
    'packet',
  );
  const data = randomBytes(1_300);
  expect(() => encodeMessage(payer, blockhash, [{ program, accounts: [], data }])).toThrow('packet');
});

it('is not written with a blockhash or an address that is longer or shorter than 32 bytes', () => {
  for (const odd of [randomBytes(31), randomBytes(33), Buffer.alloc(0)]) {
    expect(() => encodeMessage(payer, odd, instructions)).toThrow('blockhash');
    expect(() => encodeMessage(odd, blockhash, instructions)).toThrow('address');
    const account = { key: odd, writable: false };
    expect(() => encodeMessage(payer, blockhash, [{ program, accounts: [account], data: odd }])).toThrow(
      'address',
    );
  }
});

it('a token account is the one that spl-token derives, also of an owner off the curve', () => {
  for (let n = 0; n < 50; n += 1) {
    const [owner, mint] = [randomBytes(32), Keypair.generate().publicKey];
    const official = getAssociatedTokenAddressSync(mint, new PublicKey(owner), true).toBuffer();
    expect(tokenAccountOf(owner, mint.toBytes())).toEqual(official);
    expect(isOnCurve(owner)).toBe(PublicKey.isOnCurve(owner));
    expect(isOnCurve(official)).toBe(false);
  }
});
