// Signs transfers, receipts and sign-ins at sellers, and nothing else. For a transfer it takes an id, re-reads that row,
// and compares it with the decoded bytes: a bug or an intruder between the decision and this file cannot change the
// payee, the amount or anything else.
import { createHash, sign as signEd25519 } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import bs58 from 'bs58';
import type { SignInFields, SignInProof } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import { addressOf } from './keys.ts';
import { decodeMessage } from '../lib/solana/solana-message.ts';
import { signInText } from './sign-in-text.ts';
import { checkRow, type SignableTransfer } from './signable-transfer.ts';
import { checkMessage } from './transfer.ts';

export type { SignableTransfer } from './signable-transfer.ts';

interface SignerDeps {
  /** A wallet's private key. @throws AppError `locked` while the vault is locked */
  keys: (walletIndex: number) => KeyObject;
  readTransfer: (id: string) => SignableTransfer | undefined;
  treasury: { readonly address: string };
}

interface SignedTransfer {
  wire: Uint8Array;
  /**
   * Base58. Where the treasury pays, the fee payer's, which names the transaction on the chain. Otherwise the wallet's:
   * the fee payer signs later, and its place in `wire` is empty.
   */
  signature: string;
  /** SHA-256 of the message, in hex. */
  messageHash: string;
}

interface Signer {
  /**
   * Signs the message of a transfer whose row is `reserved`. When it throws, nothing has been signed.
   * @throws Error when there is no such row, or message and row differ in anything but the blockhash; what `keys`
   *   throws
   */
  sign(transferId: string, message: Uint8Array): SignedTransfer;
  /** The wallet's signature, in base64, over the receipt prefix and the canonical JSON. @throws what `keys` throws */
  signReceipt(walletIndex: number, canonicalJson: string): string;
  /**
   * The wallet's proof to a seller: its address, and its signature in base58 over the text of sign-in-text.ts.
   * @throws Error (an invariant) for fields that are not in their strict form; what `keys` throws
   */
  signSignIn(walletIndex: number, fields: SignInFields): SignInProof;
}

const SIGNATURE_BYTES = 64;

// No Solana message begins with these bytes, so a receipt's signature cannot pay, whatever text is behind them. Read as
// a message, "a" asks for 97 signatures, which fit in no packet, and "g" for 103 of them read-only, which is more than
// all; and it lacks the high bit of a versioned message. https://solana.com/docs/core/transactions
const RECEIPT_PREFIX = 'agent-treasury receipt v1\n';

/** Signs with keys and rows that it is handed. It holds no key itself and has no way to the network. */
export const createSigner = ({ keys, readTransfer, treasury }: SignerDeps): Signer => {
  const addresses = new WeakMap<KeyObject, string>();

  const keyOf = (walletIndex: number, wallet: string): KeyObject => {
    const key = keys(walletIndex);
    const address = addresses.get(key) ?? addressOf(key);
    addresses.set(key, address);
    invariant(address === wallet, `wallet ${walletIndex} has the address that its row names`);
    return key;
  };

  return {
    sign(transferId, message) {
      const row = readTransfer(transferId);
      invariant(row?.id === transferId, 'the transfer to sign exists');
      checkRow(row, treasury.address);
      const bytes = Buffer.from(message); // a copy: what is checked is what is signed
      checkMessage(decodeMessage(bytes), row, treasury.address);

      const signWith = (walletIndex: number, wallet: string): Buffer =>
        signEd25519(null, bytes, keyOf(walletIndex, wallet));
      // Throws unless this vault has the payee's key.
      if (row.payeeIndex !== null) keyOf(row.payeeIndex, row.payee);
      const own = signWith(row.walletIndex, row.wallet);
      const signatures =
        row.feePayer !== null
          ? [Buffer.alloc(SIGNATURE_BYTES), own]
          : row.walletIndex === 0
            ? [own]
            : [signWith(0, treasury.address), own];
      return {
        wire: Buffer.concat([Buffer.of(signatures.length), ...signatures, bytes]),
        signature: bs58.encode(row.feePayer === null ? (signatures[0] ?? own) : own),
        messageHash: createHash('sha256').update(bytes).digest('hex'),
      };
    },

    signReceipt: (walletIndex, canonicalJson) =>
      signEd25519(null, Buffer.from(RECEIPT_PREFIX + canonicalJson), keys(walletIndex)).toString('base64'),

    signSignIn(walletIndex, fields) {
      const key = keys(walletIndex);
      const address = addressOf(key);
      const signature = signEd25519(null, Buffer.from(signInText(fields, address)), key);
      return { address, signature: bs58.encode(signature) };
    },
  };
};
