// The accounts of a differential run: wallets, mints, token accounts in all states, and accounts that are not what they
// look like. All of them follow from the seed.
import { AccountLayout, MintLayout } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import type { Account } from '../../../server/sandbox/chain/account.ts';
import { programs } from '../../../server/sandbox/chain/account.ts';
import { programAddress } from '../../../server/lib/solana/derived-address.ts';
import { keypairFromSeed, type Keypair } from '../../../server/sandbox/chain/keypair.ts';
import { keyText } from '../../../server/lib/solana/wire.ts';
import type { Dice } from '../../harness/dice.ts';
import { hash } from 'node:crypto';

export const nativeMint = bs58.decode('So11111111111111111111111111111111111111112');
export const incinerator = bs58.decode('1nc1nerator11111111111111111111111111111111');
export const rentSysvar = bs58.decode('SysvarRent111111111111111111111111111111111');
export const clockSysvar = bs58.decode('SysvarC1ock11111111111111111111111111111111');

export interface Pool {
  dice: Dice;
  wallets: Keypair[];
  /** Keys that may become accounts of their own. */
  fresh: Keypair[];
  mints: Uint8Array[];
  tokenAccounts: Uint8Array[];
  odd: Uint8Array[];
  keypairs: Map<string, Keypair>;
  table: { key: Uint8Array; addresses: Uint8Array[] };
  accounts: [Uint8Array, Account][];
}

export const rent = (bytes: number): bigint => BigInt(128 + bytes) * 6960n;

/** The account of an owner and a mint. */
export const associated = (owner: Uint8Array, mint: Uint8Array): Uint8Array =>
  programAddress([owner, programs.token, mint], programs.associatedToken).address;

const publicKey = (key: Uint8Array): PublicKey => new PublicKey(key);
const nobody = publicKey(new Uint8Array(32));

const address = ({ address: key }: Keypair): Uint8Array => key;

export const createPool = (dice: Dice, seed: number): Pool => {
  const pair = (name: string): Keypair => keypairFromSeed(hash('sha256', `${seed}:${name}`, 'buffer'));
  const wallets = [0, 1, 2, 3].map((n) => pair(`wallet ${n}`));
  const fresh = [0, 1, 2, 3, 4, 5].map((n) => pair(`fresh ${n}`));
  const mintPairs = [0, 1, 2].map((n) => pair(`mint ${n}`));
  const holders = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => pair(`holder ${n}`));
  const oddPairs = [0, 1, 2, 3, 4].map((n) => pair(`odd ${n}`));
  const mints = mintPairs.map(address);
  const tokenAccounts = holders.map(address);
  const accounts: Pool['accounts'] = [];
  const put = (
    key: Uint8Array,
    lamports: bigint,
    owner = programs.system,
    data: Uint8Array = new Uint8Array(),
  ): void => void accounts.push([key, { lamports, owner, executable: false, data }]);

  wallets.forEach(({ address: key }, n) => put(key, n === 3 ? 2_000_000n : 50_000_000_000n));
  mints.forEach((key, n) =>
    put(key, rent(82) + (n === 2 ? 999n : 0n), programs.token, mintData({ dice, wallets }, n)),
  );
  const anybody = (): Uint8Array => dice.pick([nativeMint, ...wallets.map(address), ...wallets.map(address)]);
  tokenAccounts.forEach((key, n) => {
    const mint = mints[n % 3] ?? nativeMint;
    const amount = dice.pick([0n, 1n, 1_000n, 5_000_000n, 2n ** 40n]);
    const delegate = dice.isLucky(0.4) ? anybody() : null;
    const closer = dice.isLucky(0.2) ? anybody() : null;
    const owner = dice.isLucky(0.05) ? incinerator : dice.isLucky(0.05) ? programs.system : anybody();
    const data = Buffer.alloc(165);
    AccountLayout.encode(
      {
        mint: publicKey(mint),
        owner: publicKey(owner),
        amount,
        delegateOption: delegate ? 1 : 0,
        delegate: delegate ? publicKey(delegate) : nobody,
        state: dice.isLucky(0.15) ? 2 : 1,
        isNativeOption: 0,
        isNative: 0n,
        delegatedAmount: delegate ? dice.pick([0n, 1n, 500n, 2n ** 50n]) : 0n,
        closeAuthorityOption: closer ? 1 : 0,
        closeAuthority: closer ? publicKey(closer) : nobody,
      },
      data,
    );
    const wrongOwner = dice.isLucky(0.06);
    put(key, rent(165), wrongOwner ? wallets[0]?.address : programs.token, data);
  });
  const others = wallets.map(address);
  const odd = oddPairs.map(address);
  put(odd[0] ?? nativeMint, rent(10), programs.system, Buffer.alloc(10, 7));
  put(odd[1] ?? nativeMint, rent(0) - 5n);
  put(odd[2] ?? nativeMint, rent(165), programs.token, Buffer.alloc(165));
  put(odd[3] ?? nativeMint, rent(82), programs.token, Buffer.alloc(82));
  put(odd[4] ?? nativeMint, rent(170), programs.token, Buffer.alloc(170, 1));
  for (const [n, { address: owner }] of wallets.entries())
    if (n < 2) {
      const key = associated(owner, mints[0] ?? nativeMint);
      tokenAccounts.push(key);
      put(key, rent(165), programs.token, simpleHolding(mints[0] ?? nativeMint, owner, 700n));
    }
  const table = {
    key: pair('table').address,
    addresses: [...mints, ...tokenAccounts, ...others, programs.token],
  };
  put(table.key, rent(56 + 32 * table.addresses.length), programs.lookupTable, tableData(table.addresses));
  const known = [...wallets, ...fresh, ...mintPairs, ...holders, ...oddPairs];
  const keypairs = new Map(known.map((one) => [keyText(one.address), one]));
  return { dice, wallets, fresh, mints, tokenAccounts, odd, keypairs, table, accounts };
};

const mintData = ({ dice, wallets }: Pick<Pool, 'dice' | 'wallets'>, n: number): Uint8Array => {
  const data = Buffer.alloc(82);
  MintLayout.encode(
    {
      mintAuthorityOption: n === 2 ? 0 : 1,
      mintAuthority: n === 2 ? nobody : publicKey(wallets[0]?.address ?? nativeMint),
      supply: dice.pick([2n ** 50n, 2n ** 60n, 2n ** 64n - 1n]),
      decimals: dice.pick([0, 2, 6, 9]),
      isInitialized: true,
      freezeAuthorityOption: dice.isLucky(0.7) ? 1 : 0,
      freezeAuthority: publicKey(wallets[1]?.address ?? nativeMint),
    },
    data,
  );
  return data;
};

const simpleHolding = (mint: Uint8Array, owner: Uint8Array, amount: bigint): Uint8Array => {
  const data = Buffer.alloc(165);
  data.set(mint, 0);
  data.set(owner, 32);
  data.writeBigUInt64LE(amount, 64);
  data[108] = 1;
  return data;
};

const tableData = (addresses: Uint8Array[]): Uint8Array => {
  const head = Buffer.alloc(56);
  head.writeUInt32LE(1, 0);
  head.writeBigUInt64LE(2n ** 64n - 1n, 4);
  return Buffer.concat([head, ...addresses]);
};
