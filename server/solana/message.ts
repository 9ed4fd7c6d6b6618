// The one shape of transaction that the treasury makes: memo, the payee's token account when it has to be opened, and
// the transfer. The treasury pays the fee.
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
} from '@solana/web3.js';
import type { Lifetime, Transfer } from '../engine/ports.ts';
import { USDC_DECIMALS } from '../money.ts';

const memoProgram = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const lamportsPerSignature = 5_000n;
/** Memo, opening an account and transfer stay well below it. */
const computeUnits = 120_000;

/** Two equal transfers under one blockhash would be one transaction: the id keeps them apart, and names the payment. */
export const memoOf = ({ id, invoice }: Pick<Transfer, 'id' | 'invoice'>): string =>
  invoice === null ? `at:${id}` : `at:${id}:${invoice}`;

type Parties = Pick<Transfer, 'wallet' | 'payee'>;

/** Lamports: 5,000 a signature, and the priority fee for all compute units at `price` micro-lamports each. */
export const feeOf = ({ wallet }: Parties, treasury: string, price: bigint): bigint =>
  lamportsPerSignature * (wallet === treasury ? 1n : 2n) + priorityFee(price);

const priorityFee = (price: bigint): bigint => (price * BigInt(computeUnits) + 999_999n) / 1_000_000n;

/** The price of a compute unit, in micro-lamports, that the fee reserved for this transfer pays for. */
export const computeUnitPriceOf = (
  transfer: Parties & Pick<Transfer, 'feeLamports'>,
  treasury: string,
): bigint => ((transfer.feeLamports - feeOf(transfer, treasury, 0n)) * 1_000_000n) / BigInt(computeUnits);

/** Bounded: agents and payees come and go. */
const remember = <T>(make: (key: string) => T, most = 4_096): ((key: string) => T) => {
  const known = new Map<string, T>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      if (known.size >= most) known.clear();
      value = make(key);
      known.set(key, value);
    }
    return value;
  };
};

const publicKey = remember((address) => new PublicKey(address));

const tokenAccountKey = remember((ownerAndMint) => {
  const [owner = '', mint = ''] = ownerAndMint.split(' ');
  return getAssociatedTokenAddressSync(publicKey(mint), publicKey(owner));
});

const tokenAccount = (owner: string, mint: string): PublicKey => tokenAccountKey(`${owner} ${mint}`);

/** The address of the wallet's associated token account, base58. */
export const tokenAccountAddress = (owner: string, mint: string): string =>
  tokenAccount(owner, mint).toBase58();

/** Whether the text is the address of a key (on the curve), and not of a program's account. */
export const isWallet: (address: string) => boolean = remember((address) => {
  try {
    return PublicKey.isOnCurve(new PublicKey(address).toBytes());
  } catch {
    return false;
  }
});

/** The message to sign, a legacy one, which every wallet and explorer reads. */
export const buildMessage = (
  transfer: Transfer,
  lifetime: Lifetime,
  treasury: string,
  mint: string,
): Uint8Array => {
  const price = computeUnitPriceOf(transfer, treasury);
  const payer = publicKey(treasury);
  const instructions = [
    ...(price > 0n
      ? [
          ComputeBudgetProgram.setComputeUnitLimit({ units: computeUnits }),
          ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
        ]
      : []),
    new TransactionInstruction({ programId: memoProgram, keys: [], data: Buffer.from(memoOf(transfer)) }),
    ...(transfer.asset === 'SOL' ? [solTransfer(transfer)] : usdcTransfer(transfer, payer, mint)),
  ];
  return new TransactionMessage({ payerKey: payer, recentBlockhash: lifetime.blockhash, instructions })
    .compileToLegacyMessage()
    .serialize();
};

const solTransfer = ({ wallet, payee, amount }: Transfer): TransactionInstruction =>
  SystemProgram.transfer({ fromPubkey: publicKey(wallet), toPubkey: publicKey(payee), lamports: amount });

const usdcTransfer = (transfer: Transfer, payer: PublicKey, mint: string): TransactionInstruction[] => {
  const { wallet, payee, amount, rentLamports } = transfer;
  const from = tokenAccount(wallet, mint);
  const to = tokenAccount(payee, mint);
  const mintKey = publicKey(mint);
  return [
    ...(rentLamports > 0n
      ? [createAssociatedTokenAccountIdempotentInstruction(payer, to, publicKey(payee), mintKey)]
      : []),
    createTransferCheckedInstruction(from, mintKey, to, publicKey(wallet), amount, USDC_DECIMALS),
  ];
};
