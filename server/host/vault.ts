// The vault as the engine's ports see it: keys that sign rows, receipts, and seals of the journal.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Keys, Network, Receipts, Seals, Store, Transfer } from '../engine/ports.ts';
import { AppError, invariant } from '../errors.ts';
import type { Log } from '../log.ts';
import { formatUsdc, usdc } from '../money.ts';
import { txSignatureOf } from '../engine/payment/tx-signature.ts';
import { computeUnitPriceOf, isSellersShape, memoOf } from '../solana/message.ts';
import { needsPassphrase } from '../vault/root-store.ts';
import { createSigner } from '../vault/signer.ts';
import { createVault, type Vault } from '../vault/vault.ts';
import { encodeReceipt, receiptPayload } from '../lib/receipt.ts';

/** The vault of a network. A sandbox's key opens test money only: it lies in a file, so that no keychain fills up. */
export const vaultOf = ({ dataDir, network }: Pick<Config, 'dataDir' | 'network'>, log: Log): Vault =>
  createVault({
    dataDir: join(dataDir, network),
    network,
    log,
    ...(network === 'sandbox' ? { protection: 'key-file' } : {}),
  });

export interface Secrets {
  /** Undefined when nobody can be asked. */
  passphrase?: (isNew: boolean) => Promise<string | undefined>;
  /** The recovery phrase of a treasury that was somewhere else before. */
  phrase?: () => Promise<string>;
}

/**
 * Makes the vault at the first start, from the phrase if there is one, and unlocks it later; it stays locked when nobody
 * can give the passphrase. True when its root was generated now, and so has no past.
 * @throws what the vault throws, and AppError `locked` when a new vault lacks its passphrase
 */
export const openVault = async (vault: Vault, secrets: Secrets): Promise<boolean> => {
  const phrase = await secrets.phrase?.();
  const needed = needsPassphrase(await vault.protection());
  const isNew = vault.state() === 'empty';
  const passphrase = needed ? await secrets.passphrase?.(isNew) : undefined;
  if (isNew && needed && passphrase === undefined) {
    throw new AppError(
      'locked',
      'The first start on this network makes a new vault, and it needs a passphrase: start in a terminal, or use --passphrase-fd or TREASURY_PASSPHRASE.',
    );
  }
  if (phrase !== undefined) await vault.importPhrase(phrase, passphrase);
  else if (isNew) await vault.create(passphrase);
  else if (!needed || passphrase !== undefined) await vault.unlock(passphrase);
  return isNew && phrase === undefined;
};

/** The recovery phrase; asks for the passphrase where there is one. */
export const phraseOf = async (vault: Vault, secrets: Pick<Secrets, 'passphrase'>): Promise<string> => {
  const needed = needsPassphrase(await vault.protection());
  return vault.exportPhrase(needed ? await secrets.passphrase?.(false) : undefined);
};

/** Signing re-reads the row from the store. */
export const keysOf = (vault: Vault, store: Store, owner: string, mint: string): Keys => {
  const signer = createSigner({
    keys: vault.signingKey,
    treasury: { address: owner },
    readTransfer: (id) => {
      const row = store.transfers.get(id);
      if (row === undefined) return undefined;
      const computeUnitPrice = computeUnitPriceOf(row, owner);
      const isSellers = isSellersShape(row);
      return {
        ...row,
        memo: isSellers ? (row.purchase?.memo ?? null) : memoOf(row),
        feePayer: row.purchase?.feePayer ?? null,
        shape: isSellers ? 'sellers' : 'ours',
        opensAccount: row.rentLamports > 0n,
        mint,
        computeUnitPrice,
      };
    },
  });
  return {
    locked: () => vault.state() !== 'unlocked',
    address: vault.address,
    sign: signer.sign,
    signReceipt: signer.signReceipt,
  };
};

export const receiptsOf = ({ signReceipt }: Pick<Keys, 'signReceipt'>, network: Network): Receipts => ({
  issue(transfer: Transfer, blockTime: number) {
    const txSignature = txSignatureOf(transfer);
    invariant(txSignature !== null && transfer.serviceId !== null, 'a receipt is for a payment on the chain');
    const unsigned = {
      txSignature,
      amount: formatUsdc(usdc(transfer.amount)),
      currency: 'USDC' as const,
      timestamp: new Date(blockTime).toISOString(),
      recipient: transfer.payee,
      paymentId: transfer.id,
      payer: transfer.wallet,
      network,
      service: transfer.serviceId,
      ...(transfer.invoice === null ? {} : { invoice: transfer.invoice }),
    };
    return encodeReceipt({
      ...unsigned,
      signature: signReceipt(transfer.walletIndex, receiptPayload(unsigned)),
    });
  },
});

/** The journal's head as last sealed: in the vault's own file, under a key that comes from the root. */
export const sealsOf = (vault: Vault): Seals => {
  const name = 'journal-head';
  return {
    available: () => vault.state() === 'unlocked',
    last() {
      const bytes = vault.getSecret(name);
      return bytes === undefined ? null : { seq: Number(bytes.readBigUInt64BE(0)), hash: bytes.subarray(8) };
    },
    seal({ seq, hash }) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64BE(BigInt(seq));
      vault.setSecret(name, Buffer.concat([bytes, hash]));
    },
  };
};
