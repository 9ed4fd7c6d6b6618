// Offsets, codes and accounts of the runtime in TypeScript are those of the official packages and of LiteSVM.
import { AccountLayout, MintLayout, MultisigLayout, TokenInstruction } from '@solana/spl-token';
import * as web3 from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { programs } from '../../../server/sandbox/chain/account.ts';
import { clockSysvar, rentSysvar } from '../../../server/sandbox/chain/script/genesis.ts';
import { createScriptRuntime } from '../../../server/sandbox/chain/script/script-runtime.ts';
import { systemCodes } from '../../../server/sandbox/chain/script/system-program.ts';
import {
  accountAt,
  accountBytes,
  mintAt,
  mintBytes,
  multisigAt,
  multisigBytes,
} from '../../../server/sandbox/chain/script/token/state.ts';
import { codes } from '../../../server/sandbox/chain/script/token/token-program.ts';
import { hasLiteSvm, realRuntime, withLiteSvm } from '../../harness/runtime.ts';

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
    ['list of signers', MultisigLayout, multisigAt, multisigBytes],
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
      programs.ed25519,
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
