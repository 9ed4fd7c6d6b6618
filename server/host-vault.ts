// The vault as the engine's ports see it: keys that sign rows, receipts, and seals of the journal.
import type { Keys, Network, Receipts, Seals, Store, Transfer } from './engine/ports.ts';
import { AppError, invariant } from './errors.ts';
import { formatUsdc, usdc } from './money.ts';
import { computeUnitPriceOf, memoOf } from './solana/message.ts';
import { needsPassphrase } from './vault/root-store.ts';
import { createSigner } from './vault/signer.ts';
import type { Vault } from './vault/vault.ts';
import { encodeReceipt, receiptPayload } from './x402/receipt.ts';

/** Makes the vault at the first start and unlocks it later; it stays locked when nobody can give the passphrase. */
export const openVault = async (vault: Vault, ask?: () => Promise<string | undefined>): Promise<void> => {
  const protection = await vault.protection();
  const needed = needsPassphrase(protection);
  const passphrase = needed ? await ask?.() : undefined;
  if (vault.state() === 'empty') {
    if (needed && passphrase === undefined) {
      throw new AppError(
        'locked',
        'The first start on this network makes a new vault, and it needs a passphrase: start in a terminal, or use --passphrase-fd or TREASURY_PASSPHRASE.',
      );
    }
    await vault.create(passphrase);
  } else if (!needed || passphrase !== undefined) {
    await vault.unlock(passphrase);
  }
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
      return { ...row, memo: memoOf(row), opensAccount: row.rentLamports > 0n, mint, computeUnitPrice };
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
    invariant(
      transfer.signed !== null && transfer.serviceId !== null,
      'a receipt is for a payment on the chain',
    );
    const unsigned = {
      txSignature: transfer.signed.signature,
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
