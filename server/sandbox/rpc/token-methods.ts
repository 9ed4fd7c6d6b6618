// Methods that read tokens: their mints, and the accounts that hold them.
import {
  isTokenProgram,
  mintDecimals,
  mintSupply,
  programs,
  tokenHolding,
  tokenKind,
  type Account,
} from '../chain/account.ts';
import type { Chain } from '../chain/chain.ts';
import type { Commitment } from '../chain/clock.ts';
import { tokenAmount } from '../views/account-view.ts';
import { listed, rendererOf, startsWith } from './account-methods.ts';
import { readPoint, withContext, type Method, type Methods } from './context.ts';
import { invalidParams } from './errors.ts';
import { addressParam, configParam } from './params.ts';

export const tokenMethods = (chain: Chain): Methods => {
  const { accounts } = chain;
  return {
    getTokenAccountBalance: ([address, config]) => {
      const { commitment, slot } = readPoint(chain, configParam(config));
      const holding = tokenHolding(tokenAccountAt(chain, address, commitment));
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
    getTokenAccountsByOwner: tokenAccountsBy(chain, (account, owner) => startsWith(account.data, 32, owner)),
    getTokenAccountsByDelegate: tokenAccountsBy(
      chain,
      ({ data }, delegate) => data[72] === 1 && startsWith(data, 76, delegate),
    ),
  };
};

const tokenAccountAt = ({ accounts }: Chain, address: unknown, commitment: Commitment): Account => {
  const account = accounts.read(addressParam(address), commitment);
  if (!account) throw invalidParams('Invalid param: could not find account');
  if (tokenKind(account) !== 'account') throw invalidParams('Invalid param: not a Token account');
  return account;
};

/** The method that lists the token accounts which match an owner or a delegate. */
const tokenAccountsBy =
  (chain: Chain, matches: (account: Account, who: Uint8Array) => boolean): Method =>
  ([whoParam, filterParam, configText]) => {
    const { accounts } = chain;
    const who = addressParam(whoParam);
    const filter = configParam(filterParam);
    const config = configParam(configText);
    const { commitment, slot } = readPoint(chain, config);
    const render = rendererOf(chain, config, commitment);
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
    return withContext(slot, listed(found, render));
  };
