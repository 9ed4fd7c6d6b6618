// The effects of a transaction, as clients see them.
import bs58 from 'bs58';

import { programs } from '../chain/account.ts';
import type { LoadedKey } from '../chain/keys.ts';
import type { StoredMeta, StoredTokenBalance } from '../chain/meta.ts';
import { tokenAmount } from './account-view.ts';
import { renderParsedInstruction } from './instruction-view.ts';

export const renderMeta = (
  err: string | null,
  meta: StoredMeta,
  keys: readonly LoadedKey[],
  isParsed: boolean,
): object => ({
  ...errAndStatus(err),
  fee: meta.fee,
  preBalances: meta.pre,
  postBalances: meta.post,
  innerInstructions: renderInner(meta.inner, keys, isParsed),
  logMessages: meta.logs,
  preTokenBalances: meta.tokens.flatMap((balance) => tokenBalance(balance, balance.pre)),
  postTokenBalances: meta.tokens.flatMap((balance) => tokenBalance(balance, balance.post)),
  rewards: [],
  ...(isParsed ? {} : { loadedAddresses: loadedAddresses(meta) }),
  ...(meta.returned === null ? {} : { returnData: returnData(meta.returned) }),
  computeUnitsConsumed: meta.units,
});

export const returnData = ([program, data]: readonly [string, string]): object => ({
  programId: base58OfHex(program),
  data: [Buffer.from(data, 'hex').toString('base64'), 'base64'],
});

const loadedAddresses = ({ loaded }: StoredMeta): object => ({
  writable: (loaded?.writable ?? []).map(base58OfHex),
  readonly: (loaded?.readonly ?? []).map(base58OfHex),
});

const tokenBalance = (balance: StoredTokenBalance, amount: string | null): object[] =>
  amount === null
    ? []
    : [
        {
          accountIndex: balance.index,
          mint: base58OfHex(balance.mint),
          owner: base58OfHex(balance.owner),
          programId: bs58.encode(balance.isToken2022 ? programs.token2022 : programs.token),
          uiTokenAmount: tokenAmount(BigInt(amount), balance.decimals),
        },
      ];

/** `err` and `status`, which both statuses and transactions carry. */
export const errAndStatus = (err: string | null): { err: unknown; status: object } => {
  const error: unknown = err === null ? null : JSON.parse(err);
  return { err: error, status: error === null ? { Ok: null } : { Err: error } };
};

export const renderInner = (
  inner: StoredMeta['inner'],
  keys: readonly LoadedKey[],
  isParsed: boolean,
): object[] =>
  inner.map(([index, list]) => ({
    index,
    instructions: list.map(([program, accounts, data, stackHeight]) => {
      const called = { program, accounts: Buffer.from(accounts, 'hex'), data: Buffer.from(data, 'hex') };
      return isParsed
        ? renderParsedInstruction(called, keys, stackHeight)
        : {
            programIdIndex: program,
            accounts: [...called.accounts],
            data: bs58.encode(called.data),
            stackHeight,
          };
    }),
  }));

const base58OfHex = (text: string): string => bs58.encode(Buffer.from(text, 'hex'));
