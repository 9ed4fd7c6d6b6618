// The new allowance, signed by a wallet of this browser. The treasury builds the transaction and compares what comes back.
import type { Wallet } from '@wallet-standard/base';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { ask } from '../../../api/owner.ts';
import { page } from './use-allowance.ts';
import { base64, featuresOf, isOnSolana, refusalBy } from '../../../shared/wallets.ts';

type Network = Reply<'dashboard'>['network'];

const chains = {
  mainnet: 'solana:mainnet',
  devnet: 'solana:devnet',
  sandbox: 'solana:localnet',
} as const satisfies Record<Network, string>;

/** Wallets that sign a transaction without sending it: it is compared first. */
export const signing = (wallets: readonly Wallet[]): Wallet[] =>
  wallets.filter((wallet) => {
    const features = featuresOf(wallet);
    return (
      isOnSolana(wallet) &&
      features['solana:signTransaction'] !== undefined &&
      features['standard:connect'] !== undefined
    );
  });

interface Wish {
  /** Decimal USDC; 0 revokes. */
  allowance: string;
  network: Network;
}

/** @throws Error that says why nothing was sent: the user refused, or the wallet changed the transaction */
export const signAllowance = async (wallet: Wallet, { allowance, network }: Wish): Promise<void> => {
  const { address, transaction } = await ask('prepareAllowance', { body: { allowance, page } });
  const signed = await signWith(wallet, { address, transaction, chain: chains[network] });
  await ask('sendAllowance', { body: { transaction: base64(signed) } });
};

const signWith = async (
  wallet: Wallet,
  { address, transaction, chain }: { address: string; transaction: string; chain: `solana:${string}` },
): Promise<Uint8Array> => {
  const features = featuresOf(wallet);
  try {
    const connected = await features['standard:connect']?.connect();
    const account = connected?.accounts.find((one) => one.address === address);
    if (account === undefined)
      throw new Error(`it does not show the account ${address}: select that account in the wallet`);
    const bytes = Uint8Array.from(atob(transaction), (character) => character.charCodeAt(0));
    const inputs = { account, chain, transaction: bytes } as const;
    const [answer] = (await features['solana:signTransaction']?.signTransaction(inputs)) ?? [];
    if (answer === undefined) throw new Error('it gave no signature');
    return answer.signedTransaction;
  } catch (error) {
    throw refusalBy(wallet.name, error);
  }
};
