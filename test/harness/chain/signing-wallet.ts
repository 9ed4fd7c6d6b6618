// A wallet of the Wallet Standard in a page, which signs transactions for real: its key stays in the test.
import {
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import type { Page } from 'playwright-core';
import type { ColdWallet } from './cold-wallet.ts';

interface WalletOptions {
  name: string;
  /** What it makes of the instructions before it signs; by default nothing. */
  change?: (instructions: TransactionInstruction[]) => TransactionInstruction[];
  /** Its holder refuses. */
  refuses?: boolean;
  /** It shows another account than that of the cold wallet. */
  shows?: string;
}

/** Adds the wallet to the page before its own scripts. */
export const addSigningWallet = async (
  page: Page,
  cold: Pick<ColdWallet, 'address' | 'sign'>,
  { name, change, refuses = false, shows = cold.address }: WalletOptions,
): Promise<void> => {
  const sign = `sign${name.replaceAll(/\W/g, '')}`;
  await page.exposeFunction(sign, (transaction: string) => {
    const wire = Buffer.from(transaction, 'base64');
    return Buffer.from(cold.sign(change === undefined ? wire : changed(wire, change))).toString('base64');
  });
  await page.addInitScript(`(${register})(${JSON.stringify({ name, sign, refuses, address: shows })})`);
};

const changed = (wire: Uint8Array, change: NonNullable<WalletOptions['change']>): Uint8Array => {
  const { message } = VersionedTransaction.deserialize(wire);
  const payerKey = message.staticAccountKeys[0] ?? PublicKey.default;
  const instructions = change(TransactionMessage.decompile(message).instructions);
  const made = new TransactionMessage({ payerKey, recentBlockhash: message.recentBlockhash, instructions });
  return new VersionedTransaction(made.compileToLegacyMessage()).serialize();
};

/** Sends lamports of the owner to a stranger. */
export const theft = (owner: string): TransactionInstruction =>
  SystemProgram.transfer({
    fromPubkey: new PublicKey(owner),
    toPubkey: Keypair.generate().publicKey,
    lamports: 1_000_000n,
  });

/** Runs in the page. */
const register = `({ name, sign, refuses, address }) => {
  const account = { address, publicKey: new Uint8Array(32), chains: ['solana:localnet'], features: ['solana:signTransaction'] };
  const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const wallet = {
    version: '1.0.0',
    name,
    icon: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
    chains: ['solana:mainnet', 'solana:localnet'],
    accounts: [],
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
      'solana:signTransaction': {
        version: '1.0.0',
        supportedTransactionVersions: ['legacy', 0],
        async signTransaction({ transaction }) {
          if (refuses) throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
          return [{ signedTransaction: bytes(await window[sign](btoa(String.fromCharCode(...transaction)))) }];
        },
      },
    },
  };
  const callback = (api) => api.register(wallet);
  window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }));
  window.addEventListener('wallet-standard:app-ready', ({ detail }) => callback(detail));
}`;
