// The runtime in TypeScript does what the real one does (`npm run runtime-diff` compares many more transactions), has its
// offsets, codes and accounts, refuses by name all that it does not know, and checks strictly all that it does. The
// sandbox's own cryptography is compared with the libraries'.
import * as web3 from '@solana/web3.js';
import bs58 from 'bs58';
import * as fc from 'fast-check';
import { ed25519 } from '@noble/curves/ed25519';
import {
  AccountLayout,
  ASSOCIATED_TOKEN_PROGRAM_ID,
  getAssociatedTokenAddressSync,
  MintLayout,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
  TokenInstruction,
} from '@solana/spl-token';
import {
  Ed25519Program,
  Keypair,
  PublicKey,
  StakeProgram,
  SystemProgram,
  Transaction,
} from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { encodeMint, programs, usdcMint as mintAddress } from '../../server/sandbox/chain/account.ts';
import { tokenAccountOf } from '../../server/lib/solana/derived-address.ts';
import { keypairFromSeed } from '../../server/sandbox/chain/keypair.ts';
import { clockSysvar, rentSysvar } from '../../server/sandbox/chain/script/genesis.ts';
import { createScriptRuntime } from '../../server/sandbox/chain/script/script-runtime.ts';
import { isSignature } from '../../server/sandbox/chain/script/signatures.ts';
import { systemCodes } from '../../server/sandbox/chain/script/system-program.ts';
import {
  accountAt,
  accountBytes,
  mintAt,
  mintBytes,
  states,
} from '../../server/sandbox/chain/script/token/state.ts';
import { codes } from '../../server/sandbox/chain/script/token/token-program.ts';
import { decodeTransaction, type Instruction } from '../../server/lib/solana/wire.ts';
import { hasLiteSvm, realRuntime, withLiteSvm } from '../harness/chain/runtime.ts';
import { compareLife, foundText, newTally } from '../lab/runtime/differential.ts';
import { memo, newKey, type Payer, signed, transfer, usdcMint } from './support.ts';

describe('the runtime in TypeScript', () => {
  // Together they show each planted bug of the runtime.
  test.skipIf(!hasLiteSvm).each([1, 2, 3, 4, 7, 16])(
    withLiteSvm('does what LiteSVM does, life %i'),
    (seed) => {
      const found = compareLife(seed, 150, newTally());
      expect(found && foundText(found)).toBe(null);
    },
  );
});

interface Layout {
  readonly span: number;
  offsetOf(field: string): number | undefined;
}

const offsets = (layout: Layout, fields: object): object =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, layout.offsetOf(name)]));

describe('the runtime in TypeScript', () => {
  test.each([
    ['token account', AccountLayout, accountAt, accountBytes],
    ['mint', MintLayout, mintAt, mintBytes],
  ] as [string, Layout, object, number][])('has spl-token’s layout of a %s', (_, layout, fields, bytes) => {
    expect(layout.span).toBe(bytes);
    expect(offsets(layout, fields)).toEqual(fields);
  });

  test('has spl-token’s codes of all instructions', () => {
    const official = Object.entries(TokenInstruction).filter(
      ([name, code]) =>
        typeof code === 'number' && code <= TokenInstruction.UiAmountToAmount && name in codes,
    );
    expect(Object.fromEntries(official)).toEqual(codes);
    expect(official).toHaveLength(25);
  });

  test('has web3.js’s codes of the System program', () => {
    const { SYSTEM_INSTRUCTION_LAYOUTS: layouts } = web3 as unknown as {
      SYSTEM_INSTRUCTION_LAYOUTS: Record<string, { index: number }>;
    };
    const official = Object.entries(layouts).map(([name, { index }]) => [name, index]);
    expect(systemCodes).toMatchObject(Object.fromEntries(official));
  });

  test.skipIf(!hasLiteSvm)(withLiteSvm('begins with the programs’ accounts as LiteSVM has them'), () => {
    const [real, ours] = [realRuntime(), createScriptRuntime()];
    for (const runtime of [real, ours]) runtime.setTime(77, 1_700_000_000);
    const addresses = [
      programs.system,
      programs.token,
      programs.associatedToken,
      programs.memo,
      programs.memoV1,
      programs.computeBudget,
      rentSysvar,
      clockSysvar,
    ];
    for (const address of addresses) {
      const [one, other] = [real.read(address), ours.read(address)];
      const isCode = one !== null && one.data.length > 1000;
      expect({ ...other, data: other?.data.length }).toEqual({ ...one, data: one?.data.length });
      if (!isCode) expect(Buffer.from(other?.data ?? [])).toEqual(Buffer.from(one?.data ?? [1]));
    }
    for (const bytes of [0, 82, 165, 10_000_000])
      expect(ours.rentExemption(bytes)).toBe(real.rentExemption(bytes));
  });
});

const noHash = bs58.encode(new Uint8Array(32));
const sol = 1_000_000_000n;

const begin = () => {
  const runtime = createScriptRuntime();
  const payer = newKey();
  const account = { lamports: sol, owner: programs.system, executable: false, data: new Uint8Array() };
  runtime.write(payer.address, account);
  const run = (...instructions: Instruction[]) =>
    runtime.execute(Buffer.from(signed(payer, noHash, instructions).wire, 'base64'));
  return { runtime, payer, run };
};

const call = (program: PublicKey): Instruction => ({
  program: program.toBytes(),
  accounts: [],
  data: Uint8Array.of(0),
});

const lamportsTo = (payer: Payer, to: Uint8Array, lamports: bigint): Instruction => {
  const data = Buffer.alloc(12, 2);
  data.writeUInt32LE(2);
  data.writeBigUInt64LE(lamports, 4);
  const accounts = [
    { key: payer.address, writable: true },
    { key: to, writable: true },
  ];
  return { program: programs.system, accounts, data };
};

describe('the runtime in TypeScript', () => {
  test.each([
    ['Token-2022', TOKEN_2022_PROGRAM_ID],
    ['Ed25519', Ed25519Program.programId],
    ['stake', StakeProgram.programId],
  ])('refuses the %s program by its name, and then runs nothing else', (_, program) => {
    const { runtime, payer, run } = begin();
    const to = newKey().address;
    const { err, logs } = run(lamportsTo(payer, to, sol / 2n), call(program));
    expect(err).toBe('InvalidProgramForExecution');
    expect(logs).toEqual([`Program ${program.toBase58()} is not part of this runtime`]);
    expect(runtime.read(to)).toBe(null);
    // The chain charges for it, as it does for LiteSVM.
    expect(runtime.lamports(payer.address)).toBe(sol);
  });

  test.each([
    ['AdvanceNonceAccount', SystemProgram.programId, [4, 0, 0, 0]],
    ['TransferWithSeed', SystemProgram.programId, [11, 0, 0, 0]],
    ['Burn', TOKEN_PROGRAM_ID, [8]],
    ['Batch', TOKEN_PROGRAM_ID, [255]],
    ['RecoverNested', ASSOCIATED_TOKEN_PROGRAM_ID, [2]],
  ])('refuses %s by its name, does nothing, and takes the fee', (name, program, data) => {
    const { runtime, payer, run } = begin();
    const to = newKey().address;
    const lacking = { ...call(program), data: Uint8Array.from(data) };
    const { err, logs } = run(lamportsTo(payer, to, sol / 2n), lacking);
    expect(err).toEqual({ InstructionError: [1, 'InvalidInstructionData'] });
    expect(logs.at(-1)).toBe(`Program ${program.toBase58()} failed: ${name} is not part of this runtime`);
    expect(runtime.read(to)).toBe(null);
    expect(runtime.lamports(payer.address)).toBe(sol - 5000n);
  });

  test.each([
    ['Wrapped SOL', accountBytes, accountAt.isNativeOption],
    ['A list of signers', 355, 0],
  ])('refuses by name: %s', (name, bytes, flag) => {
    const { runtime, payer, run } = begin();
    const [holder, owner] = [newKey().address, newKey().address];
    const put = (address: Uint8Array, length: number, at: number): void => {
      const data = Buffer.alloc(length);
      data.set(owner, accountAt.owner);
      data[at] = 1;
      if (length === accountBytes) data[accountAt.state] = states.initialized;
      runtime.write(address, { lamports: sol, owner: programs.token, executable: false, data });
    };
    put(owner, bytes, 0);
    put(holder, accountBytes, flag);
    const accounts = [holder, payer.address, owner].map((key) => ({ key, writable: true }));
    const { err, logs } = run({ program: programs.token, accounts, data: Uint8Array.of(codes.CloseAccount) });
    expect(err).toEqual({ InstructionError: [0, 'InvalidInstructionData'] });
    expect(logs.at(-1)).toContain(`failed: ${name} is not part of this runtime`);
    expect(runtime.lamports(holder)).toBe(sol);
  });

  test('undoes what came before an instruction that fails, and keeps the fee', () => {
    const { runtime, payer, run } = begin();
    const to = newKey().address;
    const { err } = run(lamportsTo(payer, to, sol / 2n), lamportsTo(payer, to, sol));
    expect(err).toEqual({ InstructionError: [1, { Custom: 1 }] });
    expect(runtime.read(to)).toBe(null);
    expect(runtime.lamports(payer.address)).toBe(sol - 5000n);
  });
});

test('a called program writes nothing that its caller may not write', () => {
  const { runtime, payer, run } = begin();
  const mint = newKey().address;
  const data = encodeMint(payer.address, 6);
  runtime.write(mint, { lamports: sol, owner: programs.token, executable: false, data });
  const account = tokenAccountOf(payer.address, mint);
  const open = (writable: boolean): Instruction => ({
    program: programs.associatedToken,
    accounts: [
      { key: payer.address, writable: true },
      { key: account, writable },
      ...[payer.address, mint, programs.system, programs.token].map((key) => ({ key, writable: false })),
    ],
    data: new Uint8Array(),
  });
  const { err, logs } = run(open(false));
  expect(err).toEqual({ InstructionError: [0, 'PrivilegeEscalation'] });
  expect(logs).toContain(`${bs58.encode(account)}'s writable privilege escalated`);
  expect(runtime.read(account)).toBe(null);
  expect(run(open(true)).err).toBe(null);
});

describe('a signature', () => {
  test('of a key or a commitment of small order signs nothing', () => {
    const [message, key] = [Buffer.from('any words'), newKey()];
    const signature = key.sign(message);
    expect(isSignature(signature, message, key.address)).toBe(true);
    expect(isSignature(signature, Buffer.from('other words'), key.address)).toBe(false);

    const { Point } = ed25519;
    const neutral = Point.ZERO.toBytes();
    const forged = Buffer.concat([neutral, new Uint8Array(32)]);
    // It fulfils the equation for every message, which is why it has to be refused.
    expect(ed25519.verify(forged, message, neutral, { zip215: true })).toBe(true);
    expect(isSignature(forged, message, neutral)).toBe(false);
  });

  test('of a key in an encoding that is not the shortest signs nothing', () => {
    for (const y of [2n ** 255n - 19n, 2n ** 255n - 18n]) {
      const key = Buffer.from(y.toString(16).padStart(64, '0'), 'hex').toReversed();
      expect(isSignature(Buffer.alloc(64), Buffer.from('any words'), key)).toBe(false);
    }
  });
});

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('keys and associated token accounts are those of the libraries', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const { address } = keypairFromSeed(seed);
      const { publicKey } = Keypair.fromSeed(seed);
      expect(Buffer.from(address).equals(publicKey.toBuffer())).toBe(true);
      const expected = getAssociatedTokenAddressSync(new PublicKey(usdcMint), publicKey);
      expect(new PublicKey(tokenAccountOf(address, mintAddress)).toBase58()).toBe(expected.toBase58());
    }),
  );
});

test('our encodings and signatures are accepted by the libraries', () => {
  const [payer, to] = [newKey(), newKey()];
  const { wire } = signed(payer, newKey().text, [transfer(payer, to.address, 5), memo('m'.repeat(300))]);
  const bytes = Buffer.from(wire, 'base64');
  const transaction = Transaction.from(bytes);
  expect(transaction.verifySignatures()).toBe(true);
  expect(transaction.instructions.map(({ data }) => data.length)).toEqual([12, 300]);
  expect(decodeTransaction(bytes).message.keys).toHaveLength(4);
});
