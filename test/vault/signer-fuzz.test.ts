// Messages changed at random. An independent reader (web3.js) decides which are still exactly the row's transfer.
import { ComputeBudgetProgram, TransactionMessage, VersionedMessage } from '@solana/web3.js';
import type { TransactionInstruction } from '@solana/web3.js';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSigner } from '../../server/vault/signer.ts';
import type { SignableTransfer } from '../../server/vault/signer.ts';
import { tries } from '../harness/tries.ts';
import { attacks } from './attacks.ts';
import { build, builds, compile, honest, instructionsOf, keyOf, row, rows, stranger } from './transfers.ts';
import { treasury, walletOf } from './transfers.ts';
import type { Build } from './transfers.ts';

const RUNS = tries(1_500, 10_000);

type Edit = (message: Uint8Array) => Uint8Array;

const edit =
  (position: number, change: (bytes: Buffer, index: number) => Uint8Array): Edit =>
  (message) =>
    change(Buffer.from(message), position % message.length);

const flip = (position: number, mask: number): Edit =>
  edit(position, (bytes, index) => {
    bytes[index] = (bytes[index] ?? 0) ^ mask;
    return bytes;
  });
const remove = (position: number): Edit =>
  edit(position, (bytes, index) => Buffer.concat([bytes.subarray(0, index), bytes.subarray(index + 1)]));
const insert = (position: number, value: number): Edit =>
  edit(position, (bytes, index) =>
    Buffer.concat([bytes.subarray(0, index), Buffer.of(value), bytes.subarray(index)]),
  );
/** Overwrites one account key with another, or swaps them: damage that leaves a message well-formed. */
const moveKey =
  (from: number, to: number, swap: boolean): Edit =>
  (message) => {
    const bytes = Buffer.from(message);
    const start = (bytes[0] ?? 0) >= 0x80 ? 5 : 4;
    if (start + 32 * (Math.max(from, to) + 1) > bytes.length) return bytes.subarray(1);
    const [a, b] = [start + 32 * from, start + 32 * to].map((offset) => bytes.subarray(offset, offset + 32));
    const copy = Buffer.from(a ?? []);
    if (swap) a?.set(b ?? []);
    b?.set(copy);
    return bytes;
  };

const mutations = (): fc.Arbitrary<Edit> => {
  const at = fc.nat(1231);
  return fc.oneof(
    fc.tuple(at, fc.integer({ min: 1, max: 255 })).map(([position, mask]) => flip(position, mask)),
    at.map(remove),
    fc.tuple(at, fc.nat(255)).map(([position, value]) => insert(position, value)),
    fc.tuple(fc.nat(9), fc.nat(9), fc.boolean()).map(([from, to, swap]) => moveKey(from, to, swap)),
  );
};

const changes = (): fc.Arbitrary<(transfer: SignableTransfer) => SignableTransfer> =>
  fc
    .record(
      {
        amount: fc.oneof(
          fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
          fc.constantFrom(9_999n, 10_001n, 10_000n),
        ),
        payee: fc.nat(9).map(walletOf),
        memo: fc.string({ minLength: 1, maxLength: 40 }),
        opensAccount: fc.boolean(),
        mint: fc.constantFrom(stranger, walletOf(8)),
        asset: fc.constantFrom('USDC' as const, 'SOL' as const),
        walletIndex: fc.nat(9),
      },
      { requiredKeys: [] },
    )
    .map((change) => (transfer) => {
      const altered = row({ ...transfer, ...change });
      const wallet = walletOf(altered.walletIndex);
      const payee = altered.payee === wallet ? stranger : altered.payee;
      return { ...altered, wallet, payee };
    });

const budgets = (): fc.Arbitrary<Partial<Build>> =>
  fc.record(
    { computeUnits: fc.nat(1_400_000), computePrice: fc.bigInt({ min: 0n, max: 10_000n }) },
    { requiredKeys: [] },
  );

const shuffles = (): fc.Arbitrary<(instructions: TransactionInstruction[]) => TransactionInstruction[]> =>
  fc.tuple(fc.nat(4), fc.nat(4)).map(([from, to]) => (instructions) => {
    const rest = instructions.toSpliced(from % instructions.length, 1);
    return rest.toSpliced(to, 0, ...instructions.slice(from % instructions.length).slice(0, 1));
  });

const messages = (): fc.Arbitrary<{ transfer: SignableTransfer; message: Uint8Array }> => {
  const transfers = fc.constantFrom(...rows.map(([, transfer]) => transfer));
  const layouts = fc.constantFrom(...builds.map(([, layout]) => layout));
  const attack = fc.constantFrom(...attacks.map(([, change]) => change));
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .tuple(transfers, layouts, fc.array(mutations(), { minLength: 1, maxLength: 3 }))
        .map(([transfer, layout, edits]) => ({
          transfer,
          message: edits.reduce((message, change) => change(message), honest(transfer, layout)),
        })),
    },
    fc.tuple(transfers, layouts, changes(), budgets()).map(([transfer, layout, change, budget]) => ({
      transfer,
      message: honest(change(transfer), { ...layout, ...budget }),
    })),
    fc.tuple(transfers, layouts, attack, shuffles()).map(([transfer, layout, change, shuffle]) => ({
      transfer,
      message: compile(shuffle(change(instructionsOf(transfer, build), transfer)), layout),
    })),
  );
};

/** Whether the bytes are the row's transfer with a permitted compute budget, as web3.js reads and rebuilds them. */
const isAcceptable = (transfer: SignableTransfer, bytes: Uint8Array): boolean => {
  let again: Uint8Array;
  try {
    const message = VersionedMessage.deserialize(bytes);
    if (message.version === 1) return false;
    const { instructions, recentBlockhash } = TransactionMessage.decompile(message);
    const budget = instructions
      .filter(({ programId }) => programId.equals(ComputeBudgetProgram.programId))
      .map(({ data }): Partial<Build> =>
        data[0] === 2 ? { computeUnits: data.readUInt32LE(1) } : { computePrice: data.readBigUInt64LE(1) },
      );
    const layout: Build = {
      version: message.version,
      blockhash: recentBlockhash,
      ...Object.assign({}, ...budget),
    };
    if ((layout.computeUnits ?? 0) > 300_000) return false;
    if ((layout.computePrice ?? 0n) > (transfer.computeUnitPrice ?? 0n)) return false;
    again = honest(transfer, layout);
  } catch {
    return false;
  }
  return Buffer.from(again).equals(bytes);
};

it(`of ${RUNS} mutated messages signs none that differs from its row`, () => {
  let [mutated, stillRight] = [0, 0];
  fc.assert(
    fc.property(messages(), ({ transfer, message }) => {
      const signer = createSigner({ keys: keyOf, readTransfer: () => transfer, treasury });
      mutated += 1;
      if (isAcceptable(transfer, message)) {
        stillRight += 1;
        expect(signer.sign(transfer.id, message).wire.length).toBeGreaterThan(message.length);
      } else {
        expect(() => signer.sign(transfer.id, message)).toThrow(/^Invariant broken/);
      }
    }),
    { numRuns: RUNS },
  );
  // Another blockhash or a smaller compute budget does not differ from the row: some mutations hit just that.
  expect(mutated).toBeGreaterThanOrEqual(RUNS);
  expect(stillRight).toBeLessThan(RUNS / 4);
});
