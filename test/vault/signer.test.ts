// What the vault signs for a row: its honest message, and no other.
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { MessageV0, PublicKey, Transaction, VersionedMessage, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../server/errors.ts';
import { createSigner } from '../../server/vault/signer.ts';
import type { SignableTransfer } from '../../server/vault/signer.ts';
import { attacks } from './attacks.ts';
import {
  blockhash,
  build,
  builds,
  compile,
  draw,
  honest,
  instructionsOf,
  keyOf,
  row,
  rows,
  sign,
} from './transfers.ts';
import { stranger, tokenAccount, treasury, USDC_MINT, walletOf, type RowChange } from './transfers.ts';

const signerOf = (transfer: SignableTransfer | undefined) =>
  createSigner({ keys: keyOf, readTransfer: () => transfer, treasury });

describe('an honest message', () => {
  describe.each(rows)('of %s', (_name, transfer) => {
    it.each(builds)('is signed, %s, and web3.js finds it valid', (_build, given) => {
      const price = given.computePrice === undefined ? {} : { computePrice: transfer.computeUnitPrice ?? 0n };
      const message = honest(transfer, { ...given, ...price });
      const signed = sign(transfer, message);

      const transaction = VersionedTransaction.deserialize(signed.wire);
      expect(Buffer.from(transaction.message.serialize())).toEqual(Buffer.from(message));
      expect(bs58.encode(transaction.signatures[0] ?? [])).toBe(signed.signature);
      expect(signed.messageHash).toBe(createHash('sha256').update(message).digest('hex'));
      expect(signersOf(signed.wire)).toEqual([...new Set([treasury.address, transfer.wallet])]);
      if (given.version === 'legacy') expect(Transaction.from(signed.wire).verifySignatures()).toBe(true);
    });
  });

  it('is signed to the same bytes every time: a transfer has one signature', () => {
    expect(sign(row(), honest(row(), build))).toEqual(sign(row(), honest(row(), build)));
  });
});

/** The addresses whose signatures a wire carries, each verified. */
const signersOf = (wire: Uint8Array): string[] => {
  const { message, signatures } = VersionedTransaction.deserialize(wire);
  return signatures.map((signature, index) => {
    const key = message.staticAccountKeys[index] ?? PublicKey.default;
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key.toBytes()).toString('base64url') };
    expect(verify(null, message.serialize(), createPublicKey({ key: jwk, format: 'jwk' }), signature)).toBe(
      true,
    );
    return key.toBase58();
  });
};

const locked = (): never => {
  throw new AppError('locked', 'The vault is locked.');
};

describe('a row that may not be signed', () => {
  const refused: [string, SignableTransfer][] = [
    ...['signed', 'sent', 'cancelled', 'awaiting_approval', 'denied', 'unknown', 'final', ''].map(
      (state): [string, SignableTransfer] => [`in state "${state}"`, row({ state })],
    ),
    ['of nothing', row({ amount: 0n })],
    ['of a negative amount', row({ amount: -1n })],
    ['of more than 64 bits', row({ amount: 2n ** 64n })],
    ['to its own wallet', row({ payee: walletOf(3) })],
    ['without a memo', row({ memo: '' })],
    ["of another index's wallet", row({ walletIndex: 2 })],
    ['of a wallet that is not ours', row({ wallet: stranger, payee: walletOf(1) })],
    ['of the treasury under an index', row({ wallet: treasury.address })],
    ['of an agent under index 0', row({ walletIndex: 0 })],
    [
      'that opens an account for a token account',
      row({ payee: tokenAccount(stranger, USDC_MINT).toBase58(), opensAccount: true }),
    ],
    ['to what is no address', row({ payee: 'nobody' })],
    ['a recall to a stranger', row({ kind: 'recall' })],
    ["an allocation from an agent's wallet", row({ kind: 'allocation', payee: walletOf(2) })],
    ['a draw for a payment', draw({ kind: 'payment' })],
    ['a draw of SOL', draw({ asset: 'SOL' })],
    ['a draw to a stranger', draw({ payee: walletOf(2), payeeIndex: 4 })],
    ['a draw to no agent', draw({ payeeIndex: null })],
    ['a draw to the treasury itself', draw({ payee: treasury.address, payeeIndex: 0 })],
    ['a draw on the treasury itself', draw({ source: treasury.address })],
    ['a draw on its own payee', draw({ source: walletOf(4) })],
    ["a draw by an agent's wallet", draw({ walletIndex: 3, wallet: walletOf(3) })],
    ["a withdrawal from an agent's wallet", row({ kind: 'withdrawal' })],
    ['SOL that opens an account', row({ asset: 'SOL', opensAccount: true })],
    [
      'SOL to a token account',
      row({ kind: 'withdrawal', asset: 'SOL', payee: tokenAccount(stranger, USDC_MINT).toBase58() }),
    ],
  ];

  it.each(refused)('%s', (_name, transfer) => {
    const buildable = transfer.payee === 'nobody' || transfer.amount < 1n || transfer.amount >= 2n ** 64n;
    const message = honest(buildable ? row() : transfer, build);
    expect(() => sign(transfer, message)).toThrow('Invariant broken');
  });

  it('because there is none, or because the reader gives another', () => {
    expect(() => signerOf(undefined).sign('pay_1', honest(row(), build))).toThrow('exists');
    expect(() => signerOf(row({ id: 'pay_2' })).sign('pay_1', honest(row(), build))).toThrow('exists');
  });

  it('because the vault is locked', () => {
    const signer = createSigner({ keys: locked, readTransfer: () => row(), treasury });
    expect(() => signer.sign('pay_1', honest(row(), build))).toThrow(AppError);
    expect(() => signer.signReceipt(3, '{}')).toThrow(AppError);
  });
});

/** 1 when the message is refused, 0 when it equals this row's honest one. */
const refuse = (transfer: SignableTransfer, message: Uint8Array): number => {
  const version = (message[0] ?? 0) < 0x80 ? 'legacy' : 0;
  if (Buffer.from(honest(transfer, { blockhash, version })).equals(message)) return 0;
  expect(() => sign(transfer, message)).toThrow('Invariant broken');
  return 1;
};

describe('a message with', () => {
  it.each(attacks)('%s is never signed', (_name, attack) => {
    let refused = 0;
    for (const [, transfer] of rows)
      for (const version of ['legacy', 0] as const) {
        const instructions = attack(instructionsOf(transfer, build), transfer);
        refused += refuse(transfer, compile(instructions, { blockhash, version }));
      }
    expect(refused).toBeGreaterThan(rows.length);
  });

  const otherRows: [string, RowChange][] = [
    ['another amount', { amount: 10_001n }],
    ['another payee', { payee: walletOf(5) }],
    ['another wallet of ours', { wallet: walletOf(2), walletIndex: 2 }],
    ['another mint', { mint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU' }],
    ['an account opened', { opensAccount: true }],
    ['SOL instead of USDC', { asset: 'SOL' }],
  ];
  it.each(otherRows)('%s is never signed', (_name, change) => {
    let refused = 0;
    for (const [, transfer] of rows) {
      const altered = row({ ...transfer, ...change });
      if (altered.payee !== altered.wallet) refused += refuse(transfer, honest(altered, build));
    }
    expect(refused).toBeGreaterThan(rows.length / 2);
  });

  it('another fee payer is never signed', () => {
    for (const payer of [stranger, walletOf(3), walletOf(1)])
      expect(() => sign(row(), compile(instructionsOf(row(), build), build, payer))).toThrow(
        'Invariant broken',
      );
  });

  it('a lookup table is never signed', () => {
    const compiled = VersionedMessage.deserialize(honest(row(), build));
    if (compiled.version !== 0) throw new Error('a v0 message was asked for');
    compiled.addressTableLookups.push({
      accountKey: new PublicKey(walletOf(5)),
      writableIndexes: [1],
      readonlyIndexes: [0],
    });
    expect(() => sign(row(), compiled.serialize())).toThrow('no lookup tables');
  });

  it('another version, other lengths or bytes behind it is never signed', () => {
    const message = Buffer.from(honest(row(), build));
    const version1 = Buffer.from(message);
    version1[0] = 0x81;
    const longLength = Buffer.concat([
      message.subarray(0, 4),
      Buffer.of((message[4] ?? 0) | 0x80, 0),
      message.subarray(5),
    ]);
    const all = [
      version1,
      longLength,
      Buffer.concat([message, Buffer.of(0)]),
      Buffer.alloc(0),
      Buffer.alloc(2000),
    ];
    for (const bytes of all) expect(() => sign(row(), bytes)).toThrow('Invariant broken');
    for (let length = 0; length < message.length; length += 1)
      expect(() => sign(row(), message.subarray(0, length))).toThrow('Invariant broken');
  });
});

describe('a receipt', () => {
  const json = '{"amount":"0.01","currency":"USDC"}';

  it("carries the wallet's signature over the prefix and the JSON", () => {
    const signature = Buffer.from(signerOf(row()).signReceipt(3, json), 'base64');
    const key = createPublicKey(keyOf(3));
    expect(verify(null, Buffer.from(`agent-treasury receipt v1\n${json}`), key, signature)).toBe(true);
    expect(verify(null, Buffer.from(json), key, signature)).toBe(false);
  });

  it('cannot be a transaction, whatever follows the prefix', () => {
    const message = honest(row(), build);
    const texts = [json, Buffer.from(message).toString('latin1'), randomBytes(600).toString('latin1')];
    for (const text of texts) {
      const bytes = Buffer.from(`agent-treasury receipt v1\n${text}`);
      expect(bytes[0]).toBe(97);
      // 97 signatures of 64 bytes do not fit in the 1,232 bytes of a packet, and 103 of the 97 would be read-only.
      expect(97 * 64).toBeGreaterThan(1232);
      expect(bytes[1]).toBeGreaterThan(bytes[0] ?? 0);
      expect(() => sign(row(), bytes)).toThrow('Invariant broken');
    }
  });
});

const compiled = (transfer: SignableTransfer): MessageV0 => {
  const message = VersionedMessage.deserialize(honest(transfer, build));
  if (!(message instanceof MessageV0)) throw new Error('a v0 message was asked for');
  return message;
};

/** No builder makes these: right instructions over wrong accounts and headers. */
describe.each(rows)('a message of %s', (_name, transfer) => {
  it('with any other header is never signed', () => {
    for (const version of ['legacy', 0] as const) {
      const message = Buffer.from(honest(transfer, { blockhash, version }));
      const start = version === 0 ? 1 : 0;
      const right = [...message.subarray(start, start + 3)];
      for (let code = 0; code < 6 ** 3; code += 1) {
        const header = [Math.floor(code / 36), Math.floor(code / 6) % 6, code % 6];
        message.set(header, start);
        if (header.every((value, index) => value === right[index])) sign(transfer, message);
        else expect(() => sign(transfer, message)).toThrow('Invariant broken');
      }
    }
  });

  it('with an account that nothing uses is never signed', () => {
    const message = compiled(transfer);
    message.staticAccountKeys.push(new PublicKey(walletOf(5)));
    message.header.numReadonlyUnsignedAccounts += 1;
    expect(() => sign(transfer, message.serialize())).toThrow('every account is used');
  });
});

const swapped = (index: number): number => (index < 2 ? 1 - index : index);

it('a message whose fee the agent pays is never signed, though treasury and agent sign and change anyway', () => {
  const [, transfer] = rows.find(([, { kind, asset }]) => kind === 'recall' && asset === 'SOL') ?? [];
  if (!transfer) throw new Error('a row recalls SOL');
  const message = compiled(transfer);
  const [payer, wallet, ...others] = message.staticAccountKeys;
  if (!payer || !wallet) throw new Error('two wallets sign');
  message.staticAccountKeys = [wallet, payer, ...others];
  for (const instruction of message.compiledInstructions)
    instruction.accountKeyIndexes = instruction.accountKeyIndexes.map(swapped);
  expect(() => sign(transfer, message.serialize())).toThrow('the one who is named pays the fee');
});

it('a mint that is named twice under two positions is never signed', () => {
  const [, transfer] = rows.find(([, { opensAccount, asset }]) => opensAccount && asset === 'USDC') ?? [];
  if (!transfer) throw new Error('a row opens an account');
  const message = compiled(transfer);
  const mint = message.staticAccountKeys.findIndex((key) => key.toBase58() === transfer.mint);
  message.staticAccountKeys.push(new PublicKey(transfer.mint));
  message.header.numReadonlyUnsignedAccounts += 1;
  const transferChecked = message.compiledInstructions.at(-1);
  if (transferChecked?.accountKeyIndexes[1] !== mint) throw new Error('the second account is the mint');
  transferChecked.accountKeyIndexes[1] = message.staticAccountKeys.length - 1;
  expect(() => sign(transfer, message.serialize())).toThrow('no account is there twice');
});
