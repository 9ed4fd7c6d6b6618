// A transaction as it is drawn: plain data, so that it can be run again with parts left out.
import bs58 from 'bs58';
import type { Keypair } from '../../../server/sandbox/chain/keypair.ts';
import { keyText } from '../../../server/lib/solana/wire.ts';

export interface PlannedAccount {
  key: Uint8Array;
  signer: boolean;
  writable: boolean;
}

export interface PlannedInstruction {
  /** For reports. */
  name: string;
  program: Uint8Array;
  accounts: PlannedAccount[];
  data: Uint8Array;
}

export interface Plan {
  payer: Keypair;
  instructions: PlannedInstruction[];
  /** A table on the chain, from which addresses without a signature may be taken. */
  table: { key: Uint8Array; addresses: readonly Uint8Array[] } | null;
  fault: 'none' | 'signature' | 'twice';
}

/** The wire format, signed with the keys that are at hand; a missing one leaves zeros. */
export const compile = (plan: Plan, keypairs: ReadonlyMap<string, Keypair>): Uint8Array => {
  const message = encode(plan);
  const signatures = message.signers.map(
    (key) => keypairs.get(keyText(key))?.sign(message.bytes) ?? new Uint8Array(64),
  );
  const wire = Buffer.concat([Uint8Array.of(signatures.length), ...signatures, message.bytes]);
  if (plan.fault === 'signature') wire[5] = (wire[5] ?? 0) ^ 1;
  return wire;
};

const encode = ({ payer, instructions, table, fault }: Plan): { bytes: Buffer; signers: Uint8Array[] } => {
  const flags = new Map<string, PlannedAccount>([
    [keyText(payer.address), { key: payer.address, signer: true, writable: true }],
  ]);
  for (const { program, accounts } of instructions)
    for (const one of [...accounts, { key: program, signer: false, writable: false }]) {
      const known = flags.get(keyText(one.key)) ?? { key: one.key, signer: false, writable: false };
      flags.set(keyText(one.key), {
        key: one.key,
        signer: known.signer || one.signer,
        writable: known.writable || one.writable,
      });
    }
  const called = new Set(instructions.map(({ program }) => keyText(program)));
  const inTable = new Map(table?.addresses.map((key, index) => [keyText(key), index]));
  const all = [...flags.values()];
  const looked = all.filter(
    ({ key, signer }) => !signer && !called.has(keyText(key)) && inTable.has(keyText(key)),
  );
  const own = all.filter((one) => !looked.includes(one));
  const ordered = [
    ...own.filter(({ signer, writable }) => signer && writable),
    ...own.filter(({ signer, writable }) => signer && !writable),
    ...own.filter(({ signer, writable }) => !signer && writable),
    ...own.filter(({ signer, writable }) => !signer && !writable),
  ];
  const signers = ordered.filter(({ signer }) => signer).map(({ key }) => key);
  const keys = ordered.map(({ key }) => key);
  if (fault === 'twice') keys.push(keys[0] ?? payer.address);
  const tableKeys = [
    ...looked.filter(({ writable }) => writable),
    ...looked.filter(({ writable }) => !writable),
  ];
  const indexes = new Map(
    [...keys, ...tableKeys.map(({ key }) => key)]
      .toReversed()
      .map((key, at, list) => [keyText(key), list.length - 1 - at]),
  );
  const indexOf = (key: Uint8Array): number => indexes.get(keyText(key)) ?? 0;
  const head = Uint8Array.of(
    signers.length,
    ordered.filter(({ signer, writable }) => signer && !writable).length,
    ordered.filter(({ signer, writable }) => !signer && !writable).length + (fault === 'twice' ? 1 : 0),
  );
  const entry = (wanted: boolean): Uint8Array => {
    const found = looked.filter(({ writable }) => writable === wanted);
    return Uint8Array.from([
      ...length(found.length),
      ...found.map(({ key }) => inTable.get(keyText(key)) ?? 0),
    ]);
  };
  const lookups =
    tableKeys.length > 0 && table
      ? [Uint8Array.of(1), table.key, entry(true), entry(false)]
      : [Uint8Array.of(0)];
  const bytes = Buffer.concat([
    ...(table ? [Uint8Array.of(0x80)] : []),
    head,
    length(keys.length),
    ...keys,
    new Uint8Array(32),
    length(instructions.length),
    ...instructions.flatMap(({ program, accounts, data }) => [
      Uint8Array.of(indexOf(program)),
      length(accounts.length),
      Uint8Array.from(accounts, ({ key }) => indexOf(key)),
      length(data.length),
      data,
    ]),
    ...(table ? lookups : []),
  ]);
  return { bytes, signers };
};

const length = (value: number): Uint8Array =>
  value < 0x80 ? Uint8Array.of(value) : Uint8Array.of((value & 0x7f) | 0x80, value >> 7);

export const planText = ({ payer, instructions, fault, table }: Plan): string =>
  [
    `payer ${bs58.encode(payer.address)}${fault === 'none' ? '' : `, ${fault}`}${table ? ', with a table' : ''}`,
    ...instructions.map(
      ({ name, program, accounts, data }) =>
        `  ${name} of ${bs58.encode(program)}, data ${Buffer.from(data).toString('hex')}\n` +
        accounts
          .map(
            ({ key, signer, writable }) =>
              `    ${signer ? 's' : '-'}${writable ? 'w' : '-'} ${bs58.encode(key)}\n`,
          )
          .join(''),
    ),
  ].join('\n');
