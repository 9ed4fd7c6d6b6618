// Payments that an attacker changed before signing them, or after: for the same dice the same.
import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import { systemProgram, tokenProgram } from '../../server/lib/solana/programs.ts';
import type { Instruction } from '../../server/lib/solana/wire.ts';
import type { Dice } from '../harness/dice.ts';
import {
  account,
  feePayer,
  guard,
  keyOf,
  lighthouse,
  limit,
  memo,
  mint,
  payer,
  pays,
  price,
  signed,
  step,
  withSignatures,
} from './built.ts';

const writable = (address: string, isSigner = false) => ({
  key: bs58.decode(address),
  writable: true,
  signer: isSigner,
});
const fees = writable(feePayer.address, true);
const u64 = (kind: number, value: bigint): Buffer => {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(kind);
  data.writeBigUInt64LE(value, 4);
  return data;
};
const createAccount = (): Instruction =>
  step('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', Buffer.of(1), [
    fees,
    writable(account(keyOf('closed').address)),
    writable(keyOf('closed').address),
    writable(mint),
    writable(systemProgram),
    writable(tokenProgram),
  ]);
const nonce = (): Instruction =>
  step(systemProgram, Buffer.of(4, 0, 0, 0), [writable(keyOf('nonce').address), fees]);

/** What an attacker may add, before or after the transfer or in its place. */
export const additions: readonly [() => Instruction, ...(() => Instruction)[]] = [
  () => step(systemProgram, u64(2, 1_000_000n), [fees, writable(payer.address)]),
  () => step(systemProgram, u64(2, 1_000_000n), [fees, writable(account(payer.address))]),
  createAccount,
  nonce,
  () => pays({ source: account(feePayer.address), authority: feePayer.address }),
  () => pays({ source: account(feePayer.address) }),
  () => pays({ amount: 0n }),
  () => pays(),
  () => ({ ...pays(), program: bs58.decode('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb') }),
  // Approve the attacker, and close the account, of the fee payer.
  () =>
    step(tokenProgram, Buffer.from([4, ...Buffer.alloc(8, 255)]), [
      writable(account(feePayer.address)),
      writable(payer.address),
      fees,
    ]),
  () =>
    step(tokenProgram, Buffer.of(9), [writable(account(feePayer.address)), writable(payer.address), fees]),
  () => step('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', Buffer.from('seen'), [fees]),
  () => step(lighthouse, Buffer.of(0, 0, 0, 0, 0), [fees, writable(payer.address)]),
  () => guard(5),
  () => memo('another'),
  () => limit(1_400_000),
  () => price(2n ** 40n),
  () => step(keyOf('program').address, Buffer.of(1), [fees]),
];

const bytesChanged = (dice: Dice, wire: Buffer): Buffer => {
  const changed = Buffer.from(wire);
  const at = Math.floor(dice.roll() * changed.length);
  const how = dice.pick(['flip', 'cut', 'grow', 'twice', 'table']);
  if (how === 'flip') changed[at] = (changed[at] ?? 0) ^ (1 << Math.floor(dice.roll() * 8));
  if (how === 'cut') return changed.subarray(0, at);
  if (how === 'grow') return Buffer.concat([changed, randomBytes(1 + (at % 9))]);
  if (how === 'twice') return Buffer.concat([Buffer.of(3), changed.subarray(1, 129), changed.subarray(65)]);
  if (how === 'table')
    return withSignatures(
      Buffer.concat([changed.subarray(129, -1), Buffer.of(1), randomBytes(32), Buffer.of(1, 0, 0)]),
    );
  // The payer signs what it changed: a flipped bit of a message is then a message of its own.
  return how === 'flip' && at > 129 && dice.isLucky(0.7) ? withSignatures(changed.subarray(129)) : changed;
};

/** A payment of the memo that an attacker changed; now and then an honest one. */
export const mutated = (dice: Dice, text: string, blockhash: Uint8Array): Buffer => {
  let steps = [limit(60_000), price(BigInt(Math.floor(dice.roll() * 1_000))), pays(), memo(text)];
  const changes = dice.pick([0, 1, 1, 1, 2, 2, 3]);
  for (let n = 0; n < changes; n += 1) {
    const at = Math.floor(dice.roll() * (steps.length + 1));
    const how = dice.pick(['add', 'add', 'replace', 'drop', 'order']);
    if (how === 'add') steps = steps.toSpliced(at, 0, dice.pick(additions)());
    if (how === 'replace') steps = steps.toSpliced(at, 1, dice.pick(additions)());
    if (how === 'drop') steps = steps.toSpliced(at, 1);
    if (how === 'order') steps = steps.toReversed();
  }
  const wire = signed(steps, { blockhash });
  return changes === 0 || dice.isLucky(0.2) ? bytesChanged(dice, wire) : wire;
};
