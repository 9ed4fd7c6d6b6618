// Messages that no builder makes: right instructions over wrong accounts and headers.
import { MessageV0, PublicKey, VersionedMessage } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { createSigner } from '../../server/vault/signer.ts';
import type { SignableTransfer } from '../../server/vault/signer.ts';
import { blockhash, build, honest, keyOf, rows, treasury, walletOf } from './transfers.ts';

const sign = (transfer: SignableTransfer, message: Uint8Array) =>
  createSigner({ keys: keyOf, readTransfer: () => transfer, treasury }).sign(transfer.id, message);

const compiled = (transfer: SignableTransfer): MessageV0 => {
  const message = VersionedMessage.deserialize(honest(transfer, build));
  if (!(message instanceof MessageV0)) throw new Error('a v0 message was asked for');
  return message;
};

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
