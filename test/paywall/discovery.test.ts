// A seller is found: openapi.json and llms.txt from what its paywalls declare, and the Bazaar extension in the 402, judged by
// the official packages.
import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decodeObject } from '../../server/lib/base64-json.ts';
import { discovery } from '../../server/paywall/discovery.ts';
import { paywall } from '../../server/paywall/paywall.ts';
import type { Route } from '../../server/paywall/route.ts';
import type { PaywallOptions } from '../../server/paywall/types.ts';
import { peerFile, startPeer, type Peer } from '../harness/programs/peers.ts';
import { closeServer, listen } from './seller.ts';
import { market, shop, useShop } from './use-shop.ts';

useShop();

const city = z.object({ city: z.string().describe('Where'), days: z.int().optional() }).meta({
  examples: [{ city: 'Oslo' }],
});
/** A type that refers to itself. */
const Comment = z.object({
  text: z.string(),
  get replies() {
    return z.array(Comment);
  },
});
const routes: Record<string, Route> = {
  report: { method: 'GET', path: '/report', description: 'A report of one day', input: city, output: city },
  summary: { method: 'POST', path: '/summaries/:id', input: Comment, output: { type: 'object' } },
  bare: { method: 'DELETE', path: '/bare' },
};

let facilitator: Peer;
let origin: string;
let close: () => Promise<void>;
beforeAll(async () => {
  facilitator = await startPeer('x402-v2', 'facilitator', { rpcUrl: market.rpcUrl });
  const sell = (route: Route, more: Partial<PaywallOptions> = {}) =>
    paywall({ ...shop.options, facilitator: facilitator.says['url'] ?? '', route, ...more });
  const sold = Object.values(routes).map((route) => sell(route));
  const asked = sell({ method: 'GET', path: '/asked' }, { price: () => '0.02' });
  const app = express();
  app.use(
    discovery({ title: 'Reports', contact: 'owner@example.com', guidance: 'Buy reports.' }, [
      ...sold,
      asked,
      { method: 'GET', path: '/free', description: 'Nothing to pay' },
    ]),
  );
  for (const [at, { path, method }] of Object.values(routes).entries())
    app[method.toLowerCase() as 'get'](path, sold[at] as never);
  app.get('/asked', asked);
  app.get('/free', (_, response) => void response.json({}));
  const { url, server } = await listen(app);
  [origin, close] = [url, () => closeServer(server)];
});
afterAll(async () => {
  await close();
  await facilitator.end();
});

/** JSON of which a test knows the form. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = Record<string, any>;

const required = async (path: string, method = 'GET'): Promise<Json> => {
  const { headers } = await fetch(origin + path, { method });
  const header = headers.get('payment-required') ?? '';
  expect(header.length).toBeLessThanOrEqual(6_144);
  return decodeObject(header, 'base64') as Json;
};

describe('what is sold', () => {
  it('is listed with its price, its schemas and how to pay', async () => {
    const document = (await (await fetch(`${origin}/openapi.json`)).json()) as Json;
    expect(document['servers']).toEqual([{ url: origin }]);
    expect(document['info']).toMatchObject({
      contact: { email: 'owner@example.com' },
      'x-guidance': 'Buy reports.',
    });
    const { get } = document['paths']['/report'];
    expect(get['x-payment-info']).toMatchObject({
      price: { mode: 'fixed', currency: 'USD', amount: '0.01' },
      protocols: [{ x402: {} }, { mpp: { method: 'solana', intent: 'charge' } }],
      offers: [{ amount: '10000', currency: expect.any(String) }],
    });
    expect(get.parameters).toEqual([
      { name: 'city', in: 'query', required: true, schema: { type: 'string', description: 'Where' } },
      { name: 'days', in: 'query', required: false, schema: expect.objectContaining({ type: 'integer' }) },
    ]);
    expect(document['paths']['/asked'].get['x-payment-info']).toMatchObject({
      price: { mode: 'dynamic' },
      offers: [{ amount: null }],
    });
    expect(document['paths']['/free'].get).not.toHaveProperty('x-payment-info');
    expect(document['paths']['/summaries/{id}'].post.parameters[0]).toMatchObject({ name: 'id', in: 'path' });
  });

  it('is told in llms.txt, also to a framework of Requests', async () => {
    const answer = await fetch(`${origin}/llms.txt`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const text = await answer.text();
    expect(text).toContain('- GET /report (0.01 USDC): A report of one day');
    expect(text).toContain('- GET /asked (priced by request)');
    expect(text).toContain('- GET /free (free)');
    const listed = discovery({ title: 'Tea', origin: 'https://tea.example' }, [
      { method: 'GET', path: '/tea' },
    ]);
    const said = await listed.web(new Request('http://127.0.0.1/openapi.json')).json();
    expect(said).toMatchObject({ servers: [{ url: 'https://tea.example' }] });
    expect(listed.web(new Request('http://127.0.0.1/tea')).status).toBe(404);
  });

  it('has to be declared', () => {
    expect(() => discovery({ title: 'Reports' }, [paywall(shop.options)])).toThrow(
      'discovery: routes.0: give its paywall the option route',
    );
    for (const [route, words] of [
      [{ method: 'get', path: '/' }, 'route.method: must be a method in capitals'],
      [{ method: 'GET', path: '/report?day=1' }, 'route.path: must be a path such as'],
      [{ method: 'GET', path: '/', output: z.date() }, 'route.output: has no JSON Schema'],
      [{ method: 'GET', path: '/report#top' }, 'route.path: must be a path such as'],
    ] as const)
      expect(() => paywall({ ...shop.options, route })).toThrow(words);
  });
});

describe('the 402', () => {
  it.each([
    ['GET', '/report?city=Oslo'],
    ['POST', '/summaries/7'],
    ['DELETE', '/bare'],
  ])('of %s %s has a Bazaar extension that the official package accepts', async (method, path) => {
    const file = await peerFile('x402-v2', '@x402/extensions/dist/esm/bazaar/index.mjs');
    const official = (await import(pathToFileURL(file).href)) as Record<string, (one: unknown) => unknown>;
    const { extensions } = await required(path, method);
    const said = extensions['bazaar'];
    expect(official['validateDiscoveryExtension']?.(said)).toEqual({ valid: true });
    expect(official['validateDiscoveryExtensionSpec']?.(said)).toEqual({ valid: true });
    if (method === 'POST')
      expect(said).toMatchObject({
        routeTemplate: '/summaries/:id',
        info: { input: { pathParams: { id: '7' } } },
      });
  });

  it('names what is sold, and its type', async () => {
    expect((await required('/report'))['resource']).toEqual({
      url: `${origin}/report`,
      description: 'A report of one day',
      mimeType: 'application/json',
    });
  });

  it('stays small: a large schema is in openapi.json alone, and the start says so', () => {
    const said: string[] = [];
    const log = { warn: (_: object, message: string) => void said.push(message) };
    const large = z.object({
      day: z.enum(Array.from({ length: 300 }, (_, at) => `2026-${at}-01`) as [string]),
    });
    paywall({ ...shop.options, log, route: { method: 'GET', path: '/large', output: large } });
    expect(said).toEqual([expect.stringMatching(/schemas of \/large are too large for a 402/)]);
  });
});

describe('the official judges', () => {
  it('find nothing to say: mppx validate', async () => {
    const program = await peerFile('mpp', 'mppx/dist/bin.js');
    const out = await new Promise<string>((resolve) => {
      execFile(process.execPath, [program, 'validate', origin, '--output-json'], (_, text) => resolve(text));
    });
    const judged = JSON.parse(out) as { summary: Record<string, number> };
    const faults = out.match(/\{[^{}]*"severity": "(fail|warn\w*|suggested)"[^{}]*\}/g);
    expect(faults, out).toBeNull();
    expect(judged.summary).toMatchObject({ failed: 0 });
  });
});
