// The runtime in TypeScript refuses by name all that it does not know, and checks strictly all that it does.
import { ed25519 } from '@noble/curves/ed25519';
import { TOKEN_2022_PROGRAM_ID } from '@solana/spl-token';
import { StakeProgram, SystemProgram, type PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, test } from 'vitest';
import { encodeMint, programs } from '../../../server/sandbox/chain/account.ts';
import { associatedTokenAddress } from '../../../server/sandbox/chain/keypair.ts';
import { createScriptRuntime } from '../../../server/sandbox/chain/script/script-runtime.ts';
import { isSignature } from '../../../server/sandbox/chain/script/signatures.ts';
import type { Instruction } from '../../../server/sandbox/chain/wire.ts';
import { newKey, signed, type Payer } from '../support.ts';

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

  test('refuses nonce accounts by name, and takes the fee', () => {
    const { runtime, payer, run } = begin();
    const { err, logs } = run({ ...call(SystemProgram.programId), data: Uint8Array.of(4, 0, 0, 0) });
    expect(err).toEqual({ InstructionError: [0, 'InvalidInstructionData'] });
    expect(logs).toContain('Nonce accounts are not part of this runtime');
    expect(runtime.lamports(payer.address)).toBe(sol - 5000n);
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
  const account = associatedTokenAddress(payer.address, mint);
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
