// A seller of x402 v2 with a facilitator of its own, on the real sandbox; a test decides how it behaves when it is
// paid.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCloseAccountInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import {
  Keypair,
  PublicKey,
  TransactionMessage,
  VersionedTransaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import { usdcMints } from '../../../server/contract/treasury/networks.ts';
import { rpcCall } from '../treasury.ts';

export interface Shown {
  /** Base64, as the buyer sent it. */
  transaction: string;
  path: string;
  request: IncomingMessage;
  /** Has the seller's facilitator sign and submit it. Returns its signature. */
  settle(): Promise<string>;
  response: ServerResponse;
}

export interface X402Seller {
  url: string;
  payee: string;
  /** Every payment that it was shown, in order. */
  shown: Shown[];
  /** How often it was asked without a payment. */
  asked(): number;
  /** Answers what lies below /free, which costs nothing. */
  free: (request: IncomingMessage, response: ServerResponse) => void;
  /** Called when it is asked without a payment, before it answers. */
  asking: () => void;
  /** Handles a payment; honestly: settle, then deliver. */
  behave: (shown: Shown) => Promise<void>;
  /** Of each offer. */
  offer: { amount: string; payTo: string; extra: Record<string, unknown>; maxTimeoutSeconds?: number };
  /** A payee whose token account can be closed again, so that a payment to it fails on the chain. */
  fleetingPayee(): Promise<{ payee: string; leave(): Promise<void> }>;
  close(): Promise<void>;
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

export const deliver = (response: ServerResponse, transaction: string): void => {
  const settled = { success: true, transaction, network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' };
  response
    .setHeader('payment-response', base64(settled))
    .setHeader('content-type', 'application/json')
    .end('{"sun":true}');
};
export const refuse = (response: ServerResponse, status = 402, reason = 'settle_failed'): void => {
  response.statusCode = status;
  response.setHeader('payment-response', base64({ success: false, errorReason: reason, transaction: '' }));
  response.end('{}');
};

export const createX402Seller = async (rpcUrl: string): Promise<X402Seller> => {
  const [facilitator, owner] = [Keypair.generate(), Keypair.generate()];
  const payee = owner.publicKey.toBase58();
  await rpcCall(rpcUrl, 'requestAirdrop', [facilitator.publicKey.toBase58(), 10_000_000_000]);
  await rpcCall(rpcUrl, 'sandbox_fundUsdc', [payee, '0']);
  let asked = 0;

  const settle = async (transaction: string): Promise<string> => {
    const signed = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
    signed.sign([facilitator]);
    const wire = Buffer.from(signed.serialize()).toString('base64');
    await rpcCall(rpcUrl, 'sendTransaction', [wire, { encoding: 'base64', skipPreflight: true }]);
    return bs58.encode(signed.signatures[0] ?? new Uint8Array(64));
  };

  const send = async (instructions: TransactionInstruction[], signers: Keypair[]): Promise<void> => {
    const { value } = await rpcCall(rpcUrl, 'getLatestBlockhash');
    const message = new TransactionMessage({
      payerKey: facilitator.publicKey,
      recentBlockhash: value.blockhash,
      instructions,
    });
    const transaction = new VersionedTransaction(message.compileToV0Message());
    transaction.sign([facilitator, ...signers]);
    const wire = Buffer.from(transaction.serialize()).toString('base64');
    await rpcCall(rpcUrl, 'sendTransaction', [wire, { encoding: 'base64' }]);
  };
  const fleetingPayee = async () => {
    const keys = Keypair.generate();
    const mint = new PublicKey(usdcMints.sandbox);
    await rpcCall(rpcUrl, 'sandbox_fundUsdc', [keys.publicKey.toBase58(), '0']);
    const account = getAssociatedTokenAddressSync(mint, keys.publicKey);
    const leave = () =>
      send([createCloseAccountInstruction(account, facilitator.publicKey, keys.publicKey)], [keys]);
    return { payee: keys.publicKey.toBase58(), leave };
  };

  const server = createServer((request, response) => {
    if (/^\/free(?![^/?])/.test(request.url ?? '')) return seller.free(request, response);
    const header = request.headers['payment-signature'];
    if (typeof header !== 'string') {
      asked += 1;
      seller.asking();
      response.statusCode = 402;
      response.setHeader('payment-required', base64(required(`${seller.url}${request.url ?? ''}`)));
      response.end('{}');
      return;
    }
    const { payload } = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as {
      payload: { transaction: string };
    };
    const { transaction } = payload;
    const shown = {
      transaction,
      path: request.url ?? '',
      request,
      response,
      settle: () => settle(transaction),
    };
    seller.shown.push(shown);
    seller.behave(shown).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const required = (url: string): object => ({
    x402Version: 2,
    resource: { url },
    accepts: [
      {
        scheme: 'exact',
        network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
        asset: usdcMints.sandbox,
        maxTimeoutSeconds: 60,
        ...seller.offer,
      },
    ],
  });
  const seller: X402Seller = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    payee,
    shown: [],
    asked: () => asked,
    asking: () => {},
    free: (_request, response) => void response.end('free'),
    behave: async ({ settle: handIn, response }) => deliver(response, await handIn()),
    offer: { amount: '10000', payTo: payee, extra: { feePayer: facilitator.publicKey.toBase58() } },
    fleetingPayee,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return seller;
};
