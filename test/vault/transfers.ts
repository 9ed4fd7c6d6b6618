// Rows and the messages that an honest builder (web3.js) makes of them.
import {
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
} from '@solana/web3.js';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import type { Amount } from '../../server/engine/ports.ts';
import { lamports, usdc } from '../../server/money.ts';
import { addressOf, deriveKey } from '../../server/vault/keys.ts';
import { createSigner, type SignableTransfer } from '../../server/vault/signer.ts';

export const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
export const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

const seed = Buffer.alloc(64, 7);
const keys = Array.from({ length: 10 }, (_, index) => deriveKey(seed, index));
export const keyOf = (index: number) => keys[index] ?? deriveKey(seed, index);
const wallets = keys.map(addressOf);
export const walletOf = (index: number): string => wallets[index] ?? addressOf(keyOf(index));
export const treasury = { address: walletOf(0) };
export const stranger = addressOf(deriveKey(Buffer.alloc(64, 9), 1));

export interface Build {
  blockhash: string;
  version: 'legacy' | 0;
  computeUnits?: number;
  computePrice?: bigint;
}

/** The amount in the smallest unit of the asset. */
export interface RowChange extends Partial<Omit<SignableTransfer, 'asset' | 'amount'>> {
  asset?: Amount['asset'];
  amount?: bigint;
}

const amountIn = (asset: Amount['asset'], units: bigint): Amount =>
  asset === 'SOL' ? { asset, amount: lamports(units) } : { asset, amount: usdc(units) };

export const row = ({ asset = 'USDC', amount = 10_000n, ...change }: RowChange = {}): SignableTransfer => ({
  ...amountIn(asset, amount),
  id: 'pay_1',
  kind: 'payment',
  state: 'reserved',
  walletIndex: 3,
  wallet: walletOf(3),
  source: null,
  payeeIndex: null,
  payee: stranger,
  splits: [],
  memo: 'at:pay_1',
  feePayer: null,
  shape: 'ours',
  opensAccount: false,
  mint: USDC_MINT,
  ...change,
});

const key = (address: string): PublicKey => new PublicKey(address);
const tokenAccounts = new Map<string, PublicKey>();
export const tokenAccount = (owner: string, mint: string): PublicKey => {
  const known = tokenAccounts.get(owner + mint);
  const account = known ?? getAssociatedTokenAddressSync(key(mint), key(owner), true);
  tokenAccounts.set(owner + mint, account);
  return account;
};

/** The instructions of a row in their order; tests change them. */
export const instructionsOf = (transfer: SignableTransfer, build: Build): TransactionInstruction[] => [
  ...(build.computeUnits === undefined
    ? []
    : [ComputeBudgetProgram.setComputeUnitLimit({ units: build.computeUnits })]),
  ...(build.computePrice === undefined
    ? []
    : [ComputeBudgetProgram.setComputeUnitPrice({ microLamports: build.computePrice })]),
  new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from(transfer.memo ?? '') }),
  ...(transfer.opensAccount
    ? [
        createAssociatedTokenAccountIdempotentInstruction(
          key(treasury.address),
          tokenAccount(transfer.payee, transfer.mint),
          key(transfer.payee),
          key(transfer.mint),
        ),
      ]
    : []),
  transfer.asset === 'SOL'
    ? SystemProgram.transfer({
        fromPubkey: key(transfer.wallet),
        toPubkey: key(transfer.payee),
        lamports: transfer.amount,
      })
    : createTransferCheckedInstruction(
        tokenAccount(transfer.source ?? transfer.wallet, transfer.mint),
        key(transfer.mint),
        tokenAccount(transfer.payee, transfer.mint),
        key(transfer.wallet),
        transfer.amount,
        6,
      ),
];

/** The bytes to sign, as web3.js serializes them. */
export const compile = (
  instructions: TransactionInstruction[],
  build: Build,
  feePayer = treasury.address,
): Uint8Array => {
  const message = new TransactionMessage({
    payerKey: key(feePayer),
    recentBlockhash: build.blockhash,
    instructions,
  });
  return build.version === 0
    ? message.compileToV0Message().serialize()
    : message.compileToLegacyMessage().serialize();
};

export const honest = (transfer: SignableTransfer, build: Build): Uint8Array =>
  compile(instructionsOf(transfer, build), build);

export const blockhash = addressOf(deriveKey(Buffer.alloc(64, 5), 0));
export const build: Build = { blockhash, version: 0 };

/** As a multisig's: no key signs for it. */
const offCurve = tokenAccount(stranger, USDC_MINT).toBase58();

/** An allocation that a cold treasury pays. */
export const draw = (change: RowChange = {}): SignableTransfer =>
  row({
    kind: 'allocation',
    walletIndex: 0,
    wallet: treasury.address,
    source: stranger,
    payee: walletOf(4),
    payeeIndex: 4,
    ...change,
  });

export const rows: [string, SignableTransfer][] = [
  ['a payment', row()],
  ['a payment that opens the account', row({ opensAccount: true })],
  ['a charge', row({ kind: 'charge', amount: 134_000n })],
  [
    'an allocation',
    row({
      kind: 'allocation',
      walletIndex: 0,
      wallet: treasury.address,
      payee: walletOf(4),
      opensAccount: true,
    }),
  ],
  ['a draw on a cold treasury', draw()],
  ['a recall', row({ kind: 'recall', payee: treasury.address })],
  [
    'a withdrawal',
    row({ kind: 'withdrawal', walletIndex: 0, wallet: treasury.address, amount: 2n ** 64n - 1n }),
  ],
  [
    'a withdrawal of SOL',
    row({ kind: 'withdrawal', asset: 'SOL', walletIndex: 0, wallet: treasury.address }),
  ],
  ["a recall of an agent's SOL", row({ kind: 'recall', asset: 'SOL', payee: treasury.address })],
  ['a refund', row({ kind: 'refund', walletIndex: 0, wallet: treasury.address, payee: walletOf(3) })],
  ['a payment to an address off the curve that has its account', row({ payee: offCurve })],
  ['a payment with a long memo', row({ memo: `at:pay_1 ${'ä€'.repeat(60)}` })],
  ['a payment with a priority fee', row({ computeUnitPrice: 5_000n })],
];

export const builds: [string, Build][] = (['legacy', 0] as const).flatMap((version): [string, Build][] => [
  [`${version}`, { blockhash, version }],
  [`${version} with a unit limit`, { blockhash, version, computeUnits: 90_000 }],
  [`${version} with limit and price`, { blockhash, version, computeUnits: 300_000, computePrice: 0n }],
  [`${version} with a price`, { blockhash, version, computePrice: 0n }],
]);

/** As the vault signs it for this row. */
export const sign = (transfer: SignableTransfer, message: Uint8Array) =>
  createSigner({ keys: keyOf, readTransfer: () => transfer, treasury }).sign(transfer.id, message);
