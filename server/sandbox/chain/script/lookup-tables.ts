// Addresses that a message takes from tables on the chain.
import { programs, sameKey, view, type Account } from '../account.ts';
import type { Message } from '../../../lib/solana/wire.ts';
import { TransactionRefusal } from './refusal.ts';

interface Tables {
  read(address: Uint8Array): Account | null;
  readonly slot: bigint;
  /** Slots whose hashes the chain still keeps. */
  readonly recentSlots: ReadonlySet<bigint>;
}

const headerBytes = 56;
const active = 2n ** 64n - 1n;

/**
 * All that are to be written first, then the others, each in the order of the message.
 * @throws TransactionRefusal of a table that is missing, closed, or too short
 */
export const lookedUp = (tables: Tables, { lookups }: Message): Uint8Array[] => {
  const found = lookups.map(({ table, writable, readonly }) => {
    const addresses = addressesIn(tables, table);
    const at = (indexes: Uint8Array): Uint8Array[] =>
      [...indexes].map((index) => addressAt(addresses, index));
    return { writable: at(writable), readonly: at(readonly) };
  });
  return [...found.flatMap(({ writable }) => writable), ...found.flatMap(({ readonly }) => readonly)];
};

const addressAt = (addresses: Uint8Array, index: number): Uint8Array => {
  const address = addresses.subarray(index * 32, index * 32 + 32);
  if (address.length < 32) throw new TransactionRefusal('InvalidAddressLookupTableIndex');
  return address;
};

const addressesIn = ({ read, slot, recentSlots }: Tables, address: Uint8Array): Uint8Array => {
  const table = read(address);
  if (!table) throw new TransactionRefusal('AddressLookupTableNotFound');
  if (!sameKey(table.owner, programs.lookupTable))
    throw new TransactionRefusal('InvalidAddressLookupTableOwner');
  const data = view(table.data);
  if (data.length < headerBytes || data.readUInt32LE(0) !== 1 || (data.length - headerBytes) % 32 !== 0)
    throw new TransactionRefusal('InvalidAddressLookupTableData');
  const deactivated = data.readBigUInt64LE(4);
  const isUsable = deactivated === active || deactivated === slot || recentSlots.has(deactivated);
  if (!isUsable) throw new TransactionRefusal('AddressLookupTableNotFound');
  const addresses = data.subarray(headerBytes);
  // Addresses of this very slot are not to be had before the next.
  const extendedNow = slot <= data.readBigUInt64LE(12);
  return extendedNow ? addresses.subarray(0, (data[20] ?? 0) * 32) : addresses;
};
