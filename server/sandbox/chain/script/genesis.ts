// Accounts that are there before any other: the programs, and the system variables that programs are handed.
import bs58 from 'bs58';

import { programs, type Account } from '../account.ts';

const key = (address: string): Uint8Array => bs58.decode(address);

export const nativeLoader = key('NativeLoader1111111111111111111111111111111');
export const sysvarOwner = key('Sysvar1111111111111111111111111111111111111');
export const rentSysvar = key('SysvarRent111111111111111111111111111111111');
export const clockSysvar = key('SysvarC1ock11111111111111111111111111111111');
/** Made for each transaction; no account of the ledger. */
export const instructionsSysvar = key('Sysvar1nstructions1111111111111111111111111');

const upgradeableLoader = key('BPFLoaderUpgradeab1e11111111111111111111111');
const loader = key('BPFLoader2111111111111111111111111111111111');
const deprecatedLoader = key('BPFLoader1111111111111111111111111111111111');

const program = (owner: Uint8Array, lamports: bigint, data: Uint8Array): Account => ({
  lamports,
  owner,
  executable: true,
  data,
});
const builtin = (name: string): Account => program(nativeLoader, 1n, Buffer.from(name));

const sysvar = (data: Uint8Array): Account => ({
  lamports: 1n,
  owner: sysvarOwner,
  executable: false,
  data,
});

/** 6960 lamports for each byte, for one year, half of it burned. */
const rentData = Buffer.from('301b000000000000000000000000f03f32', 'hex');
/** That the code is in an account of its own, and which. */
const tokenProgramData = Buffer.from(
  '0200000027f190b1d3af98b8ce714c44e8cadff9f8fc45cb8e5fac4202eff8110d97dd37',
  'hex',
);

/** Code that runs here as TypeScript is that many zeros, so that it weighs as much as elsewhere. */
export const genesisAccounts = (): (readonly [address: Uint8Array, account: Account])[] => [
  [programs.system, builtin('solana_system_program')],
  [programs.computeBudget, builtin('compute_budget_program')],
  [programs.token, program(upgradeableLoader, 1_141_440n, tokenProgramData)],
  [programs.associatedToken, program(loader, 731_913_600n, Buffer.alloc(105_032))],
  [programs.memo, program(loader, 16_926_720n, Buffer.alloc(2304))],
  [programs.memoV1, program(deprecatedLoader, 121_159_680n, Buffer.alloc(17_280))],
  [rentSysvar, sysvar(rentData)],
  [clockSysvar, clockAccount(0, 0)],
];

export const clockAccount = (slot: number, unixSeconds: number): Account => {
  const data = Buffer.alloc(40);
  data.writeBigUInt64LE(BigInt(slot), 0);
  data.writeBigUInt64LE(1n, 24);
  data.writeBigInt64LE(BigInt(unixSeconds), 32);
  return sysvar(data);
};
