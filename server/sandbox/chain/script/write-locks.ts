// Which accounts a transaction may write: those that its message says, except programs that it calls and accounts that
// belong to every node.
import bs58 from 'bs58';

import { sameKey } from '../account.ts';
import { isWritableKey, keyText, type Message } from '../../../lib/solana/wire.ts';

/** For each of the message's addresses, those from tables behind its own. */
export const writeLocks = (message: Message, keys: readonly Uint8Array[]): boolean[] => {
  const called = new Set(message.instructions.map(({ program }) => program));
  const mayUpgrade = keys.some((key) => sameKey(key, upgradeableLoader));
  const fromTables = message.lookups.reduce((sum, { writable }) => sum + writable.length, 0);
  return keys.map((key, index) => {
    const isAsked =
      index < message.keys.length ? isWritableKey(message, index) : index < message.keys.length + fromTables;
    return isAsked && !reserved.has(keyText(key)) && (mayUpgrade || !called.has(index));
  });
};

const upgradeableLoader = bs58.decode('BPFLoaderUpgradeab1e11111111111111111111111');

const reserved = new Set(
  `
  11111111111111111111111111111111
  AddressLookupTab1e1111111111111111111111111
  BPFLoader1111111111111111111111111111111111
  BPFLoader2111111111111111111111111111111111
  BPFLoaderUpgradeab1e11111111111111111111111
  ComputeBudget111111111111111111111111111111
  Config1111111111111111111111111111111111111
  Ed25519SigVerify111111111111111111111111111
  Feature111111111111111111111111111111111111
  KeccakSecp256k11111111111111111111111111111
  NativeLoader1111111111111111111111111111111
  Secp256r1SigVerify1111111111111111111111111
  Stake11111111111111111111111111111111111111
  StakeConfig11111111111111111111111111111111
  Sysvar1111111111111111111111111111111111111
  Sysvar1nstructions1111111111111111111111111
  SysvarC1ock11111111111111111111111111111111
  SysvarEpochRewards1111111111111111111111111
  SysvarEpochSchedu1e111111111111111111111111
  SysvarFees111111111111111111111111111111111
  SysvarLastRestartS1ot1111111111111111111111
  SysvarRecentB1ockHashes11111111111111111111
  SysvarRent111111111111111111111111111111111
  SysvarRewards111111111111111111111111111111
  SysvarS1otHashes111111111111111111111111111
  SysvarS1otHistory11111111111111111111111111
  SysvarStakeHistory1111111111111111111111111
  Vote111111111111111111111111111111111111111
  ZkE1Gama1Proof11111111111111111111111111111
  ZkTokenProof1111111111111111111111111111111
  `
    .trim()
    .split(/\s+/)
    .map((address) => keyText(bs58.decode(address))),
);
