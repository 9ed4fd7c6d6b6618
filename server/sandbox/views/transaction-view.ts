// A transaction as clients see it, rendered from its bytes and the record of its run.
import bs58 from 'bs58';

import type { Chain } from '../chain/chain.ts';
import { ownKeys, tableKey, type LoadedKey } from '../chain/keys.ts';
import type { TransactionRow } from '../chain/ledger.ts';
import type { StoredMeta } from '../chain/meta.ts';
import { decodeTransaction, type Message, type Transaction } from '../../lib/solana/wire.ts';
import { RpcError } from '../rpc/errors.ts';
import { renderParsedInstruction } from './instruction-view.ts';
import { renderMeta } from './meta-view.ts';

export const transactionEncodings = ['json', 'jsonParsed', 'base64', 'base58'] as const;
type TransactionEncoding = (typeof transactionEncodings)[number];

export interface TransactionShape {
  encoding: TransactionEncoding | 'binary';
  /** Undefined for a client that knows no versions. */
  maxVersion: number | undefined;
}

export const renderTransaction = (chain: Chain, row: TransactionRow, shape: TransactionShape): object => ({
  slot: row.slot,
  blockTime: chain.clock.blockTime(row.slot),
  ...renderWithMeta(row, shape),
});

export const renderWithMeta = (row: TransactionRow, { encoding, maxVersion }: TransactionShape): object => {
  const transaction = decodeTransaction(row.wire);
  const { version } = transaction.message;
  if (version !== 'legacy' && (maxVersion === undefined || maxVersion < version)) {
    throw new RpcError(
      'unsupportedVersion',
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    );
  }
  const meta = JSON.parse(row.meta) as StoredMeta;
  const keys = allKeys(transaction.message, meta);
  return {
    meta: renderMeta(row.err, meta, keys, encoding === 'jsonParsed'),
    transaction: renderBody(transaction, keys, encoding),
    ...(maxVersion === undefined ? {} : { version }),
  };
};

const allKeys = (message: Message, { loaded }: StoredMeta): LoadedKey[] => [
  ...ownKeys(message),
  ...(loaded?.writable ?? []).map((text) => tableKey(Buffer.from(text, 'hex'), true)),
  ...(loaded?.readonly ?? []).map((text) => tableKey(Buffer.from(text, 'hex'), false)),
];

const renderBody = (
  { wire, signatures, message }: Transaction,
  keys: readonly LoadedKey[],
  encoding: TransactionShape['encoding'],
): unknown => {
  switch (encoding) {
    case 'base64':
      return [Buffer.from(wire).toString('base64'), 'base64'];
    case 'base58':
      return [bs58.encode(wire), 'base58'];
    case 'binary':
      return bs58.encode(wire);
    case 'json':
    case 'jsonParsed':
      return {
        signatures: signatures.map((signature) => bs58.encode(signature)),
        message: encoding === 'json' ? jsonMessage(message) : parsedMessage(message, keys),
      };
  }
};

const jsonMessage = (message: Message): object => ({
  header: {
    numRequiredSignatures: message.requiredSignatures,
    numReadonlySignedAccounts: message.readonlySigned,
    numReadonlyUnsignedAccounts: message.readonlyUnsigned,
  },
  accountKeys: message.keys.map((key) => bs58.encode(key)),
  recentBlockhash: bs58.encode(message.blockhash),
  instructions: message.instructions.map(({ program, accounts, data }) => ({
    programIdIndex: program,
    accounts: [...accounts],
    data: bs58.encode(data),
    stackHeight: 1,
  })),
  ...tableLookups(message),
});

const parsedMessage = (message: Message, keys: readonly LoadedKey[]): object => ({
  accountKeys: keys.map(({ key, writable, signer, fromTable }) => ({
    pubkey: bs58.encode(key),
    writable,
    signer,
    source: fromTable ? 'lookupTable' : 'transaction',
  })),
  recentBlockhash: bs58.encode(message.blockhash),
  instructions: message.instructions.map((called) => renderParsedInstruction(called, keys, 1)),
  ...tableLookups(message),
});

const tableLookups = ({ version, lookups }: Message): object =>
  version === 'legacy'
    ? {}
    : {
        addressTableLookups: lookups.map(({ table, writable, readonly }) => ({
          accountKey: bs58.encode(table),
          writableIndexes: [...writable],
          readonlyIndexes: [...readonly],
        })),
      };
