// The target of a request: its price and its handler have to be of the same URL.
import { request } from 'node:http';
import express from 'express';
import { expect, it } from 'vitest';
import { paywall } from '../../server/paywall/paywall.ts';
import type { Priced } from '../../server/paywall/types.ts';
import { closeServer, listen } from './seller.ts';
import { shop, useShop } from './use-shop.ts';

useShop();

/** A request with this target as it stands, which `fetch` would normalise. */
const get = (url: string, path: string): Promise<{ status: number; body: Record<string, unknown> }> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(url);
    request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>,
        }),
      );
    })
      .on('error', reject)
      .end();
  });

const price = ({ url }: Priced): string => (url === '/premium' ? '5.00' : '0.01');

it.each(['http://x/premium', 'HTTPS://x/premium', String.raw`http://x/\premium`, '/premium#x'])(
  'a request for %s is quoted no price',
  async (target) => {
    const app = express();
    app.get('/{*any}', paywall({ ...shop.options, price }), (_, response) => void response.json({}));
    const { url, server } = await listen(app);
    expect((await get(url, '/premium')).body['amount']).toBe('5.00');
    const { status, body } = await get(url, target);
    expect([status, body['code'], body['amount']]).toEqual([400, 'bad_target', undefined]);
    await closeServer(server);
  },
);
