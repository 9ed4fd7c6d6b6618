// Methods that read accounts.
import bs58 from 'bs58';

import { mintDecimals, tokenKind, view, type Account } from '../chain/account.ts';
import type { OwnedAccount } from '../chain/accounts.ts';
import type { Chain } from '../chain/chain.ts';
import type { Commitment } from '../chain/clock.ts';
import { renderAccount } from '../views/account-view.ts';
import { readPoint, withContext, type Methods } from './context.ts';
import { invalidParams } from './errors.ts';
import { accountShape } from './account-shape.ts';
import {
  addressParam,
  configParam,
  flag,
  fromBase58,
  fromBase64,
  integerParam,
  listParam,
  textParam,
  type Config,
} from './params.ts';

export const accountMethods = (chain: Chain): Methods => {
  const { accounts } = chain;
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
      const render = rendererOf(chain, config, commitment);
      const account = accounts.read(key, commitment);
      return withContext(slot, account && render(account));
    },
    getMultipleAccounts: ([addresses, configText]) => {
      const keys = listParam(addresses, 100).map(addressParam);
      const config = configParam(configText);
      const { commitment, slot } = readPoint(chain, config);
      const render = rendererOf(chain, config, commitment);
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
      const render = rendererOf(chain, config, commitment);
      const matches = programFilter(config['filters']);
      const found = accounts.ownedBy(program, commitment).filter(({ account }) => matches(account));
      const value = listed(found, render);
      return flag(config['withContext']) ? withContext(slot, value) : value;
    },
  };
};

type Render = (account: Account) => object;

/** Renders accounts in the shape that the caller asks for. */
export const rendererOf = ({ accounts }: Chain, config: Config, commitment: Commitment): Render => {
  const shape = accountShape(config);
  return (account) => renderAccount(account, shape, (mint) => mintDecimals(accounts.read(mint, commitment)));
};

export const listed = (found: OwnedAccount[], render: Render): object[] =>
  found
    .toSorted((a, b) => Buffer.compare(a.address, b.address))
    .map(({ address, account }) => ({ pubkey: bs58.encode(address), account: render(account) }));

export const startsWith = (data: Uint8Array, offset: number, bytes: Uint8Array): boolean =>
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
