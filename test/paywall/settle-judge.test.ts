// The judge of transactions whose fee a seller pays: the published vectors by their meaning, with their codes.
import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { memoProgram, systemProgram, tokenProgram } from '../../server/lib/solana/programs.ts';
import type { Instruction } from '../../server/lib/solana/wire.ts';
import { judge, mostLamportsOf, type Demand } from '../../server/paywall/settle/judge.ts';
import {
  account,
  feePayer,
  guard,
  keyOf,
  limit,
  memo,
  mint,
  payee,
  payer,
  pays,
  price,
  signed,
  step,
  withSignatures,
} from './built.ts';

const payload = 'invalid_exact_svm_payload';
const demand = (change: Partial<Demand> = {}): Demand => ({
  protocol: 'exact',
  mint,
  account: account(payee.address),
  amount: 1_000n,
  feePayer: feePayer.address,
  memo: null,
  mostInstructions: 7,
  ...change,
});
const verdict = (instructions: Instruction[], change: Partial<Demand> = {}): string => {
  const judged = judge(signed(instructions), demand(change));
  return 'refused' in judged ? judged.refused : 'accepted';
};
const exact = (third: Instruction, ...others: Instruction[]) => [limit(20_000), price(1n), third, ...others];
const charged = (change: Partial<Demand> = {}): Partial<Demand> => ({ protocol: 'charge', ...change });
const nine = (): Instruction => {
  const transfer = pays();
  return { ...transfer, data: Buffer.from([...transfer.data.subarray(0, 9), 9]) };
};
const otherMint = keyOf('mint').address;

const judged = (wire: Uint8Array, change: Partial<Demand> = {}) => judge(wire, demand(change));

describe('a transaction of the published vectors', () => {
  it.each<[string, string, Instruction[], Partial<Demand>?]>([
    ['another mint', `${payload}_mint_mismatch`, exact(pays({ mint: otherMint }), memo('m'))],
    ['999 units of 1,000', `${payload}_amount_mismatch`, exact(pays({ amount: 999n }), memo('m'))],
    [
      'an account that is not the payee’s associated one',
      `${payload}_recipient_mismatch`,
      exact(pays({ destination: account(otherMint) }), memo('m')),
    ],
    ['a memo in place of the transfer', `${payload}_no_transfer_instruction`, exact(memo('m'))],
    [
      'the fee payer as authority',
      `${payload}_transaction_fee_payer_transferring_funds`,
      exact(pays({ authority: feePayer.address, source: account(feePayer.address) }), memo('m')),
    ],
    [
      'the fee payer’s own account as source',
      `${payload}_transaction_fee_payer_transferring_funds`,
      exact(pays({ source: account(feePayer.address) }), memo('m')),
    ],
    [
      'a price above 5,000,000',
      `${payload}_transaction_instructions_compute_price_instruction_too_high`,
      [limit(20_000), price(5_000_001n), pays(), memo('m')],
    ],
    ['no memo, where one is pinned', `${payload}_memo_count`, exact(pays()), { memo: 'expected' }],
    ['another memo', `${payload}_memo_mismatch`, exact(pays(), memo('actual')), { memo: 'expected' }],
    [
      'a System instruction after the transfer',
      `${payload}_unknown_fourth_instruction`,
      exact(pays(), step(systemProgram, Buffer.of(2))),
    ],
    ['exactly the pinned memo', 'accepted', exact(pays(), memo('expected')), { memo: 'expected' }],
    ['a guard that names the fee payer', 'accepted', exact(pays(), guard(5))],
    ['MPP: a limit above 200,000', 'compute-limit-over-cap', [price(1n), limit(250_000), pays()], charged()],
    [
      'MPP: a price above 5,000,000',
      'compute-price-over-cap',
      [price(5_000_001n), limit(200_000), pays()],
      charged(),
    ],
    [
      'MPP: the fee payer as authority',
      'fee-payer-not-authority',
      [price(1n), limit(200_000), pays({ authority: feePayer.address, source: account(feePayer.address) })],
      charged(),
    ],
    ['MPP: nine decimals', 'no-matching-transfer', [price(1n), limit(200_000), nine()], charged()],
    ['MPP: six decimals', 'accepted', [price(1n), limit(200_000), pays()], charged()],
    [
      'MPP: splits that eat the amount',
      'splits-exceed-amount',
      [price(1n), limit(200_000), pays()],
      charged({ splits: 1_000n }),
    ],
  ])('with %s is judged %s', (_, code, instructions, change) => {
    expect(verdict(instructions, change)).toBe(code);
  });
});

describe('a transaction of an attacker', () => {
  const writing = { key: bs58.decode(feePayer.address), writable: true, signer: true };
  it.each<[string, string, Instruction[], Partial<Demand>?]>([
    ['a guard that opens an account', `${payload}_unknown_fourth_instruction`, exact(pays(), guard(0))],
    ['a guard that closes one', `${payload}_unknown_fourth_instruction`, exact(pays(), guard(1))],
    ['a guard in MPP', 'unexpected-instruction', [price(1n), limit(9), pays(), guard(5)], charged()],
    [
      'a memo that the fee payer signs',
      `${payload}_transaction_fee_payer_included_in_instruction_accounts`,
      exact(pays(), step(memoProgram, Buffer.from('m'), [writing])),
    ],
    ['two memos', `${payload}_memo_count`, exact(pays(), memo('m'), memo('m')), { memo: 'm' }],
    ['two memos, none of them pinned', `${payload}_memo_count`, exact(pays(), memo('m'), memo('n'))],
    ['two transfers', `${payload}_unknown_fourth_instruction`, exact(pays(), pays())],
    [
      'a limit of 400,001',
      `${payload}_transaction_instructions_compute_limit_instruction_too_high`,
      [limit(400_001), price(1n), pays()],
    ],
    [
      'price and limit in turn',
      `${payload}_transaction_instructions_compute_limit_instruction`,
      [price(1n), limit(9), pays()],
    ],
    ['two instructions', `${payload}_transaction_instructions_length`, [limit(9), price(1n)]],
    [
      'eight instructions',
      `${payload}_transaction_instructions_length`,
      exact(pays(), guard(5), guard(5), guard(5), memo('m'), memo('m')),
    ],
    ['zero units', `${payload}_amount_mismatch`, exact(pays({ amount: 0n }))],
  ])('with %s is refused: %s', (_, code, instructions, change) => {
    expect(verdict(instructions, change)).toBe(code);
  });

  it('is refused with another fee payer, a third signer, a false signature, a lookup table, or bytes more or less', () => {
    const good = signed(exact(pays(), memo('m')));
    expect(judged(good)).toMatchObject({ payer: payer.address, lamports: 10_001 });
    expect(judged(good, { feePayer: payee.address })).toEqual({
      refused: 'invalid_exact_svm_fee_payer_mismatch',
    });
    const third = { key: bs58.decode(otherMint), writable: false, signer: true };
    expect(judged(signed(exact(pays(), step(memoProgram, Buffer.of(65), [third]))))).toEqual({
      refused: `${payload}_excessive_signers`,
    });
    const forged = Buffer.from(good);
    forged[70] = (forged[70] ?? 0) ^ 1;
    expect(judged(forged)).toEqual({ refused: `${payload}_signature_invalid` });
    const undecodable = { refused: `${payload}_transaction_could_not_be_decoded` };
    expect(judged(good.subarray(0, -1))).toEqual(undecodable);
    expect(judged(Buffer.concat([good, Buffer.of(0)]))).toEqual(undecodable);
    // The last byte says that there is one table; it loads one account.
    const message = Buffer.concat([
      good.subarray(129, -1),
      Buffer.of(1),
      randomBytes(32),
      Buffer.of(0, 1, 0),
    ]);
    expect(judged(withSignatures(message))).toEqual({
      refused: 'invalid_exact_svm_smart_wallet_alt_resolution_not_available',
    });
  });

  it('costs at most what the caps allow', () => {
    expect([mostLamportsOf('exact'), mostLamportsOf('charge')]).toEqual([2_010_000, 1_010_000]);
    const dear = judge(signed([limit(400_000), price(5_000_000n), pays()]), demand());
    expect(dear).toMatchObject({ lamports: mostLamportsOf('exact') });
  });
});

it('tokens of another program are no transfer', () => {
  const transfer = pays();
  const token2022 = { ...transfer, program: bs58.decode('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb') };
  expect(bs58.encode(transfer.program)).toBe(tokenProgram);
  expect(verdict(exact(token2022))).toBe(`${payload}_no_transfer_instruction`);
});
