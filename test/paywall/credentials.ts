// Payments of MPP and x402 made with web3.js, whose credentials a test may change before it shows them.
import {
  ComputeBudgetProgram,
  PublicKey,
  TransactionMessage,
  VersionedTransaction,
  type Keypair,
  type TransactionInstruction,
} from '@solana/web3.js';
import { decodeObject, encodeJson, isObject, type JsonObject } from '../../server/lib/base64-json.ts';
import { readChallenges } from '../../server/x402/dialects/challenges.ts';
import { signBytes } from '../x402/keys.ts';
import { memo, transfer, type Market, type Purchase } from '../x402/market.ts';
import { ask, type Answer } from './seller.ts';

/** JSON that a test changes freely. */
export type Loose = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any

export const header = {
  mpp: 'authorization',
  'x402-v2': 'payment-signature',
  'x402-v1': 'x-payment',
} as const;
export type Foreign = keyof typeof header;
export const foreign = Object.keys(header) as Foreign[];

export interface Credential {
  dialect: Foreign;
  json: Loose;
}

export const encoded = ({ dialect, json }: Credential): string =>
  dialect === 'mpp' ? `Payment ${encodeJson(json, 'base64url')}` : encodeJson(json, 'base64');

export const show = (url: string, credential: Credential, init: RequestInit = {}): Promise<Answer> =>
  showText(url, credential.dialect, encoded(credential), init);

export const showText = (
  url: string,
  dialect: Foreign,
  text: string,
  init: RequestInit = {},
): Promise<Answer> => ask(url, null, { ...init, headers: { ...init.headers, [header[dialect]]: text } });

/** The offer of a 402 in MPP: its challenge, and the request in it. */
export const challengeIn = ({ headers }: Answer): { challenge: Loose; request: Loose } => {
  const [challenge] = readChallenges(headers.get('www-authenticate') ?? '');
  if (!challenge?.parameters) throw new Error('the answer offers no MPP');
  return { challenge: { ...challenge.parameters }, request: requestOf(challenge.parameters) };
};

/** The offer of a 402 in x402. */
export const requiredIn = ({ headers, body }: Answer, version: 1 | 2): JsonObject => {
  const required = version === 2 ? decodeObject(headers.get('payment-required') ?? '', 'base64') : body;
  if (required?.['x402Version'] !== version) throw new Error(`the answer offers no x402 version ${version}`);
  return required;
};

/** Pays for the URL as an honest client does, but for the changes to its purchase. */
export const pay = async (
  market: Market,
  dialect: Foreign,
  url: string,
  {
    init = {},
    between,
    ...purchase
  }: Purchase & { init?: RequestInit; between?: () => Promise<unknown> } = {},
): Promise<Credential> => {
  const quoted = await ask(url, null, init);
  await between?.();
  if (dialect === 'mpp') return { dialect, json: await payMpp(market, quoted, purchase) };
  const version = dialect === 'x402-v2' ? 2 : 1;
  const required = requiredIn(quoted, version);
  const [accepted] = required['accepts'] as Loose[];
  const transaction = await signFor(market, accepted ?? {}, purchase);
  const payload = { x402Version: version, payload: { transaction } };
  const terms =
    version === 2
      ? { resource: required['resource'], accepted }
      : { scheme: 'exact', network: accepted?.['network'] };
  return { dialect, json: { ...payload, ...terms } };
};

const payMpp = async (market: Market, quoted: Answer, purchase: Purchase): Promise<Loose> => {
  const { challenge, request } = challengeIn(quoted);
  const { payer = market.buyer, units = BigInt(String(request['amount'])) } = purchase;
  const text = String(request['externalId']);
  const instructions = purchase.instructions?.(payer.publicKey, text) ?? [
    transfer(payer.publicKey, new PublicKey(String(request['recipient'])), units),
    memo(text),
  ];
  const signature = await market.send(instructions, { signers: [payer], ...purchase });
  return { challenge, payload: { type: 'signature', signature } };
};

/** Pays in MPP without sending the transaction, as an honest client does that has no SOL. */
export const pull = async (market: Market, url: string, init: RequestInit = {}): Promise<Credential> => {
  const { challenge } = challengeIn(await ask(url, null, init));
  return again(market, { dialect: 'mpp', json: { challenge } });
};

/** The payment with another transaction for the same offer, which the seller's side has to send. */
export const again = async (market: Market, { dialect, json }: Credential): Promise<Credential> => {
  const { amount, recipient: payTo, externalId, methodDetails } = requestOf(json.challenge ?? {});
  const charge = { amount, payTo, extra: { feePayer: methodDetails?.feePayerKey, memo: externalId } };
  const transaction = await signFor(market, dialect === 'mpp' ? charge : json.accepted, {});
  const payload = { transaction, ...(dialect === 'mpp' ? { type: 'transaction' } : {}) };
  return { dialect, json: { ...json, payload } };
};

const requestOf = (challenge: Loose): Loose => ({
  ...decodeObject(String(challenge['request'] ?? ''), 'base64url'),
});

/** The half-signed transaction of x402, in base64: the facilitator adds its signature. */
const signFor = async (market: Market, accepted: Loose, purchase: Purchase): Promise<string> => {
  const { feePayer, memo: text } = accepted['extra'] as { feePayer: string; memo?: string };
  const amount = BigInt(String(accepted['amount'] ?? accepted['maxAmountRequired']));
  const { payer = market.buyer, units = amount } = purchase;
  const paid: TransactionInstruction[] = purchase.instructions?.(payer.publicKey, text ?? '') ?? [
    transfer(payer.publicKey, new PublicKey(String(accepted['payTo'])), units),
    ...(text === undefined ? [] : [memo(text)]),
  ];
  const instructions = [
    ComputeBudgetProgram.setComputeUnitLimit({ units: 60_000 }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 + (uniqueness += 1) }),
    ...paid,
  ];
  return halfSigned(market, instructions, new PublicKey(feePayer), payer);
};
/** Keeps two equal payments under one blockhash apart. */
let uniqueness = 0;

const halfSigned = async (
  market: Market,
  instructions: TransactionInstruction[],
  payerKey: PublicKey,
  payer: Keypair,
): Promise<string> => {
  const { blockhash: recentBlockhash } = await market.connection.getLatestBlockhash('processed');
  const message = new TransactionMessage({ instructions, payerKey, recentBlockhash }).compileToV0Message();
  const transaction = new VersionedTransaction(message);
  transaction.addSignature(payer.publicKey, signBytes(payer, message.serialize()));
  return Buffer.from(transaction.serialize()).toString('base64');
};

/** The MPP request with changes, as a challenge carries it. */
export const requestWith = (challenge: Loose, changes: Loose): Loose => {
  const request = decodeObject(String(challenge['request']), 'base64url');
  return {
    ...challenge,
    request: encodeJson({ ...(isObject(request) ? request : {}), ...changes }, 'base64url'),
  };
};
