// Adapts the vault to the engine's ports: signing of transfers and receipts, and seals of the journal.
import type { Keys, Network, Receipts, Seals, Store, Transfer } from '../engine/ports.ts';
import { AppError, invariant } from '../errors.ts';
import { formatUsdc, usdc } from '../money.ts';
import { txSignatureOf } from '../engine/payment/machine/tx-signature.ts';
import { computeUnitPriceOf, isSellersShape } from '../solana/message.ts';
import { memoOf } from '../lib/solana/transfer-memo.ts';
import { needsPassphrase } from '../vault/root-store.ts';
import { createSigner } from '../vault/signer.ts';
import type { Vault } from '../vault/vault.ts';
import { shareOf } from '../lib/share-of.ts';
import { encodeReceipt, receiptPayload } from '../lib/solana/receipt.ts';

export interface Secrets {
  /** Resolves to undefined when there is no terminal to ask at. */
  passphrase?: (isNew: boolean) => Promise<string | undefined>;
  /** The recovery phrase of an existing treasury, to be imported. */
  phrase?: () => Promise<string>;
}

/**
 * Creates the vault at the first start, from the recovery phrase if there is one; later unlocks it. It stays locked
 * when no passphrase is available. True when a new root was generated, which therefore has no history.
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

/** The recovery phrase; asks for the passphrase where the vault has one. */
export const phraseOf = async (vault: Vault, secrets: Pick<Secrets, 'passphrase'>): Promise<string> => {
  const needed = needsPassphrase(await vault.protection());
  return vault.exportPhrase(needed ? await secrets.passphrase?.(false) : undefined);
};

/** The signer re-reads each transfer from the store instead of trusting what its caller holds. */
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
        splits: row.purchase?.splits ?? [],
        memo: isSellers ? (row.purchase?.memo ?? null) : memoOf(row),
        feePayer: row.purchase?.feePayer ?? null,
        shape: isSellers ? 'sellers' : 'ours',
        opensAccount: row.rentLamports > 0n,
        payeeIndex: payeeIndexOf(store, row),
        mint,
        computeUnitPrice,
      };
    },
  });
  return {
    locked: () => vault.state() !== 'unlocked',
    address: vault.address,
    owns: vault.owns,
    indexOf: vault.indexOf,
    sign: signer.sign,
    signReceipt: signer.signReceipt,
    signSignIn: signer.signSignIn,
  };
};

/** An allocation goes to the wallet of its agent. */
const payeeIndexOf = ({ agents }: Store, { kind, agentId }: Transfer): number | null =>
  kind !== 'allocation' || agentId === null ? null : (agents.get(agentId)?.walletIndex ?? null);

export const receiptsOf = ({ signReceipt }: Pick<Keys, 'signReceipt'>, network: Network): Receipts => ({
  issue(transfer: Transfer, blockTime: number) {
    const txSignature = txSignatureOf(transfer);
    invariant(
      txSignature !== null && transfer.serviceId !== null && transfer.asset === 'USDC',
      'a receipt is for a payment on the chain',
    );
    const unsigned = {
      txSignature,
      // It says of the recipient what the chain shows: other recipients got the rest.
      amount: formatUsdc(usdc(shareOf(transfer.amount, transfer.purchase?.splits))),
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

/** The last sealed head of the journal and the cold wallets, in the vault's own file under a key derived from the root. */
export const sealsOf = (vault: Vault): Seals => {
  const name = 'journal-head';
  const coldName = 'cold-wallets';
  const coldWallets = (): string[] =>
    (vault.getSecret(coldName)?.toString() ?? '').split(' ').filter(Boolean);
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
    coldWallets,
    addColdWallet(address) {
      const others = coldWallets().filter((one) => one !== address);
      vault.setSecret(coldName, Buffer.from([...others, address].join(' ')));
    },
  };
};
