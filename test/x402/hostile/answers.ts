// The answers of hostile sellers: offers in every dialect, settlements, and bodies that do not end.
import type { ServerResponse } from 'node:http';
import { usdcMints } from '../../../server/contract/treasury/networks.ts';
import { price, type Answer, type Scene } from './case.ts';

export const mint = usdcMints.sandbox;
const mainnet = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
export const mib = 1024 * 1024;

export const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
export const send = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
};

export const entry = ({ payee, feePayer }: Scene, change: object = {}, extra: object = {}): object => ({
  scheme: 'exact',
  network: mainnet,
  amount: String(price),
  asset: mint,
  payTo: payee,
  maxTimeoutSeconds: 60,
  extra: { feePayer, ...extra },
  ...change,
});
export const required = (scene: Scene, accepts: unknown, more: object = {}): object => ({
  x402Version: 2,
  error: 'Payment required',
  resource: { url: `${scene.url}/${scene.name}` },
  accepts,
  ...more,
});
export const v2 =
  (
    change: object | ((scene: Scene) => object) = {},
    extra: object | ((scene: Scene) => object) = {},
  ): Answer =>
  (response, scene) => {
    const of = (part: typeof change): object => (typeof part === 'function' ? part(scene) : part);
    const terms = required(scene, [entry(scene, of(change), of(extra))]);
    send(response, 402, {}, { 'payment-required': base64(terms) });
  };
export const honest = v2();
export const raw =
  (terms: (scene: Scene) => unknown): Answer =>
  (response, scene) =>
    send(response, 402, {}, { 'payment-required': base64(terms(scene)) });
export const v1 =
  (change: object = {}): Answer =>
  (response, scene) => {
    const { amount: maxAmountRequired, ...rest } = entry(scene) as { amount: string };
    const resource = `${scene.url}/${scene.name}`;
    send(response, 402, {
      x402Version: 1,
      accepts: [
        { ...rest, network: 'solana', maxAmountRequired, resource, description: '', mimeType: '', ...change },
      ],
    });
  };
export const mpp =
  (
    change: (scene: Scene) => object = () => ({}),
    details: (scene: Scene) => object = () => ({}),
    more = '',
  ): Answer =>
  (response, scene) => {
    const request = {
      amount: String(price),
      currency: mint,
      recipient: scene.payee,
      methodDetails: { network: 'mainnet-beta', decimals: 6, ...details(scene) },
      ...change(scene),
    };
    const encoded = Buffer.from(JSON.stringify(request)).toString('base64url');
    const parts = `id="${scene.name}", realm="hostile", method="solana", intent="charge", request="${encoded}"${more}`;
    send(response, 402, {}, { 'www-authenticate': `Payment ${parts}` });
  };
export const receipt =
  (change: object = {}): Answer =>
  (response, { payee }) =>
    send(response, 402, { amount: '0.01', currency: 'USDC', recipient: payee, ...change });

export const settlement = (
  success: boolean,
  transaction: string,
  more: object = {},
): Record<string, string> => ({
  'payment-response': base64({ success, transaction, network: mainnet, ...more }),
});
export const goods = { goods: 'as ordered' };
export const settles =
  (then: (response: ServerResponse, scene: Scene, txSignature: string) => unknown): Answer =>
  async (response, scene, shown) =>
    then(response, scene, await scene.settle(shown));
/** Settles once and delivers: the offer is strange, the seller is not. */
export const delivers = settles((response, _, txSignature) =>
  send(response, 200, goods, settlement(true, txSignature)),
);

export const drip = (response: ServerResponse, status: number, headers = {}): void => {
  response.writeHead(status, headers);
  const timer = setInterval(() => response.write(' '), 500);
  response.on('close', () => clearInterval(timer));
};
export const endless = (response: ServerResponse, status: number, headers = {}): void => {
  response.writeHead(status, headers);
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
};

export const redirect =
  (to: (scene: Scene) => string, status = 302): Answer =>
  (response, scene) => {
    response.writeHead(status, { location: to(scene) });
    response.end();
  };
