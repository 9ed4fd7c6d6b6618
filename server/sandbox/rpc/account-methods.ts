// Methods that read accounts and tokens.
import bs58 from 'bs58';

import type { Account } from '../chain/account.ts';
import {
  isTokenProgram,
  mintDecimals,
  mintSupply,
  programs,
  tokenHolding,
  tokenKind,
  view,
} from '../chain/account.ts';
import type { OwnedAccount } from '../chain/accounts.ts';
import type { Chain } from '../chain/chain.ts';
import type { Commitment } from '../chain/clock.ts';
import { renderAccount, tokenAmount } from '../views/account-view.ts';
import type { Methods } from './context.ts';
import { readPoint, withContext } from './context.ts';
import { invalidParams } from './errors.ts';
import { accountShape } from './account-shape.ts';
import type { Config, Params } from './params.ts';
import {
  addressParam,
  configParam,
  flag,
  fromBase58,
  fromBase64,
  integerParam,
  listParam,
  textParam,
} from './params.ts';

export const accountMethods = (chain: Chain): Methods => {
  const { accounts } = chain;

  const renderer = (config: Config, commitment: Commitment): ((account: Account) => object) => {
    const shape = accountShape(config);
    return (account) =>
      renderAccount(account, shape, (mint) => mintDecimals(accounts.read(mint, commitment)));
  };

  const tokenAccount = (address: unknown, commitment: Commitment): Account => {
    const account = accounts.read(addressParam(address), commitment);
    if (!account) throw invalidParams('Invalid param: could not find account');
    if (tokenKind(account) !== 'account') throw invalidParams('Invalid param: not a Token account');
    return account;
  };

  const tokenAccountsBy =
    (matches: (account: Account, who: Uint8Array) => boolean) =>
    ([whoParam, filterParam, configText]: Params): unknown => {
      const who = addressParam(whoParam);
      const filter = configParam(filterParam);
      const config = configParam(configText);
      const { commitment, slot } = readPoint(chain, config);
      const render = renderer(config, commitment);
      const mint = filter['mint'] === undefined ? null : addressParam(filter['mint']);
      if (mint === null && filter['programId'] === undefined) {
        throw invalidParams('Invalid params: expected mint or programId');
      }
      const program =
        mint === null
          ? addressParam(filter['programId'])
          : (accounts.read(mint, commitment)?.owner ?? programs.token);
      if (!isTokenProgram(program)) throw invalidParams('Invalid param: unrecognized Token program id');
      const found = accounts
        .ownedBy(program, commitment)
        .filter(({ account }) => tokenKind(account) === 'account' && matches(account, who))
        .filter(({ account }) => mint === null || startsWith(account.data, 0, mint));
      return withContext(slot, list(found, render));
    };

  return {
    getBalance: ([address, config]) => {
      const key = addressParam(address);
      const { commitment, slot } = readPoint(chain, configParam(config));
      return withContext(slot, Number(accounts.read(key, commitment)?.lamports ?? 0n));
    },
    getAccountInfo: ([address, configText]) => {
      const key = addressParam(address);
      const config = configParam(configText);
      const { commitment, slot } = readPoint(chain, config);
      const render = renderer(config, commitment);
      const account = accounts.read(key, commitment);
      return withContext(slot, account && render(account));
    },
    getMultipleAccounts: ([addresses, configText]) => {
      const keys = listParam(addresses, 100).map(addressParam);
      const config = configParam(configText);
      const { commitment, slot } = readPoint(chain, config);
      const render = renderer(config, commitment);
      const found = keys.map((key) => accounts.read(key, commitment));
      return withContext(
        slot,
        found.map((account) => account && render(account)),
      );
    },
    getProgramAccounts: ([programParam, configText]) => {
      const program = addressParam(programParam);
      const config = configParam(configText);
      const { commitment, slot } = readPoint(chain, config);
      const render = renderer(config, commitment);
      const matches = programFilter(config['filters']);
      const found = accounts.ownedBy(program, commitment).filter(({ account }) => matches(account));
      const value = list(found, render);
      return flag(config['withContext']) ? withContext(slot, value) : value;
    },
    getTokenAccountBalance: ([address, config]) => {
      const { commitment, slot } = readPoint(chain, configParam(config));
      const holding = tokenHolding(tokenAccount(address, commitment));
      const decimals = holding && mintDecimals(accounts.read(holding.mint, commitment));
      if (!holding || decimals === null) throw invalidParams('Invalid param: could not find mint');
      return withContext(slot, tokenAmount(holding.amount, decimals));
    },
    getTokenSupply: ([address, config]) => {
      const { commitment, slot } = readPoint(chain, configParam(config));
      const mint = accounts.read(addressParam(address), commitment);
      if (!mint) throw invalidParams('Invalid param: could not find account');
      const decimals = mintDecimals(mint);
      if (decimals === null) throw invalidParams('Invalid param: not a Token mint');
      return withContext(slot, tokenAmount(mintSupply(mint), decimals));
    },
    getTokenAccountsByOwner: tokenAccountsBy((account, owner) => startsWith(account.data, 32, owner)),
    getTokenAccountsByDelegate: tokenAccountsBy(
      ({ data }, delegate) => data[72] === 1 && startsWith(data, 76, delegate),
    ),
  };
};

const list = (found: OwnedAccount[], render: (account: Account) => object): object[] =>
  found
    .toSorted((a, b) => Buffer.compare(a.address, b.address))
    .map(({ address, account }) => ({ pubkey: bs58.encode(address), account: render(account) }));

const startsWith = (data: Uint8Array, offset: number, bytes: Uint8Array): boolean =>
  Buffer.compare(data.subarray(offset, offset + bytes.length), bytes) === 0;

const programFilter = (value: unknown): ((account: Account) => boolean) => {
  if (value === undefined || value === null) return () => true;
  const filters = listParam(value, 4).map((entry): ((account: Account) => boolean) => {
    const filter = configParam(entry);
    if (filter['dataSize'] !== undefined) {
      const size = integerParam(filter['dataSize']);
      return ({ data }) => data.length === size;
    }
    if (filter['tokenAccountState'] !== undefined) return (account) => tokenKind(account) === 'account';
    const { offset, bytes, encoding } = configParam(filter['memcmp']);
    const text = textParam(bytes);
    const wanted = encoding === 'base64' ? fromBase64(text) : fromBase58(text);
    if (wanted === null || wanted.length > 128) {
      throw invalidParams('Invalid param: memcmp bytes are invalid');
    }
    const start = integerParam(offset);
    return ({ data }) => startsWith(view(data), start, wanted);
  });
  return (account) => filters.every((matches) => matches(account));
};
