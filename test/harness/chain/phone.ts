// The owner's phone: a wallet that pays Solana Pay requests on the sandbox, and its registration.
import { createPrivateKey, sign } from 'node:crypto';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
} from '@solana/web3.js';
import type { Treasury } from '../treasury.ts';

export const memoProgram = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
export const wordLamports = 1_000;

/** The parts of a word, each of which a hostile one changes. */
export interface WordParts {
  treasury: string;
  memo: string;
  references: string[];
  lamports: number;
}

export const partsOf = (url: string): WordParts => {
  const { pathname, searchParams } = new URL(url);
  return {
    treasury: pathname,
    memo: searchParams.get('memo') ?? '',
    references: searchParams.getAll('reference'),
    lamports: Math.round(Number(searchParams.get('amount')) * 1e9),
  };
};

export const memoOf = (text: string): TransactionInstruction =>
  new TransactionInstruction({ programId: memoProgram, keys: [], data: Buffer.from(text) });

export const transferOf = (from: PublicKey, parts: WordParts): TransactionInstruction => {
  const transfer = SystemProgram.transfer({
    fromPubkey: from,
    toPubkey: new PublicKey(parts.treasury),
    lamports: parts.lamports,
  });
  for (const reference of parts.references)
    transfer.keys.push({ pubkey: new PublicKey(reference), isSigner: false, isWritable: false });
  return transfer;
};

let words = 0;
/** Each differs from those before, also under one blockhash. */
export const wordOf = (from: PublicKey, parts: WordParts): TransactionInstruction[] => [
  ComputeBudgetProgram.setComputeUnitLimit({ units: 50_000 + (words += 1) }),
  memoOf(parts.memo),
  transferOf(from, parts),
];

export const signText = (keys: Keypair, text: string): string => {
  const der = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    keys.secretKey.subarray(0, 32),
  ]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return sign(null, Buffer.from(text), key).toString('base64');
};

const call = async (url: string, method: string, params: unknown[]): Promise<unknown> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await answer.json()) as { result?: unknown; error?: unknown };
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return result;
};

export interface Phone {
  keys: Keypair;
  address: string;
  /** Signs and sends a word, whole or changed; returns its signature. */
  say(url: string, change?: Partial<WordParts>): Promise<string>;
  send(instructions: TransactionInstruction[], others?: Keypair[]): Promise<string>;
}

/** A phone with some SOL on the treasury's sandbox. */
export const newPhone = async ({ host }: Pick<Treasury, 'host'>): Promise<Phone> => {
  const keys = Keypair.generate();
  await call(host.rpcUrl, 'requestAirdrop', [keys.publicKey.toBase58(), 1_000_000_000]);
  const send = async (instructions: TransactionInstruction[], others: Keypair[] = []): Promise<string> => {
    const latest = (await call(host.rpcUrl, 'getLatestBlockhash', [])) as { value: { blockhash: string } };
    const transaction = new Transaction({
      feePayer: keys.publicKey,
      recentBlockhash: latest.value.blockhash,
    } as ConstructorParameters<typeof Transaction>[0]).add(...instructions);
    transaction.recentBlockhash = latest.value.blockhash;
    transaction.sign(keys, ...others);
    const wire = transaction.serialize().toString('base64');
    return (await call(host.rpcUrl, 'sendTransaction', [
      wire,
      { encoding: 'base64', skipPreflight: true },
    ])) as string;
  };
  return {
    keys,
    address: keys.publicKey.toBase58(),
    send,
    say: (url, change = {}) => send(wordOf(keys.publicKey, { ...partsOf(url), ...change })),
  };
};

/** Registers it as the owner would. */
export const registerPhone = async (
  { client }: Pick<Treasury, 'client'>,
  phone: Phone,
  limits: { perApproval?: string; perDay?: string } = {},
): Promise<string> => {
  const { body } = await client.post('/v1/phone-wallets/text', { address: phone.address });
  const signature = signText(phone.keys, String(body['text']));
  const { nonce } = body;
  const registered = await client.post('/v1/phone-wallets', {
    name: 'Phone',
    address: phone.address,
    nonce,
    signature,
    ...limits,
  });
  if (registered.status !== 200) throw new Error(JSON.stringify(registered.body));
  return String(registered.body['phoneWalletId']);
};
