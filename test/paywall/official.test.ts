// One 402 that official clients, unchanged, understand and pay, each in its own protocol, and `npx agent-treasury-
// paywall try URL`, as it is packed: the customer that an author of a paid API tries a seller with.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeJson } from '../../server/lib/base64-json.ts';
import type { Project } from '../harness/programs/packed-package.ts';
import { tries } from '../harness/tries.ts';
import { openBazaar, type Bazaar, type ClientName } from './bazaar.ts';
import { installPaywall } from './install-paywall.ts';
import { ask, closeServer, listen, refused } from './seller.ts';

const times = tries(3, 10);
let bazaar: Bazaar;
let project: Project;
beforeAll(async () => {
  [project, bazaar] = await Promise.all([installPaywall(), openBazaar()]);
}, 600_000);
afterAll(async () => {
  await bazaar.close();
  project.remove();
});

describe.each<[ClientName, string]>([
  ['x402-v2', 'payment-signature'],
  ['x402-v1', 'x-payment'],
  ['mpp', 'authorization'],
])('the official client of %s', (name, header) => {
  it('buys, and the payment of its header is granted once', async () => {
    const url = `${bazaar.url}/report?by=${name}`;
    const { address } = (await bazaar.client(name)).says;
    const { status, body, settlement, sent } = await bazaar.buy(name, url);
    expect(status, body).toBe(200);
    const { payment } = JSON.parse(body) as { payment: Record<string, unknown> };
    expect(payment).toMatchObject({ dialect: name, amount: '0.01', payer: address, currency: 'USDC' });
    expect([settlement?.['transaction'], settlement?.['reference']]).toContain(payment['txSignature']);
    const landed = await bazaar.market.rpc('getTransaction', [
      payment['txSignature'],
      { encoding: 'json', maxSupportedTransactionVersion: 0 },
    ]);
    expect(landed).toMatchObject({ meta: { err: null } });

    const again = await ask(url, null, { headers: { [header]: sent[header] ?? '' } });
    expect(refused(again)).toEqual({
      status: 402,
      code: name === 'mpp' ? 'already_used' : expect.any(String),
    });
  });

  it(`buys ${times} times in a row, each a payment of its own`, async () => {
    const before = bazaar.served.length;
    for (let n = 0; n < times; n += 1) {
      // Equal payments of version 1 under one blockhash are one transaction: it has no memo.
      if (name === 'x402-v1') await bazaar.market.rpc('sandbox_warp', [2]);
      const { status, body } = await bazaar.buy(name, `${bazaar.url}/${name}/${n}`);
      expect(status, body).toBe(200);
    }
    const bought = bazaar.served.slice(before);
    expect(new Set(bought.map(({ txSignature }) => txSignature)).size).toBe(times);
  });
});

interface Ended {
  code: number;
  out: string;
  error: string;
}

const run = (...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const program = join(project.folder, 'node_modules/.bin/agent-treasury-paywall');
    execFile(process.execPath, [program, ...args], (failed, out, error) => {
      resolve({ code: failed === null ? 0 : Number(failed.code), out, error });
    });
  });
const tryUrl = (url: string, ...more: string[]) => run('try', url, '--rpc', bazaar.market.rpcUrl, ...more);

/** Tries a seller of the test's making. */
const tried = async (
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Ended> => {
  const { url, server } = await listen(answer);
  const ended = await tryUrl(url);
  await closeServer(server);
  return ended;
};

const refuse = (response: ServerResponse, body: object, headers: Record<string, string> = {}): void => {
  response.writeHead(402, { 'cache-control': 'no-store', ...headers }).end(JSON.stringify(body));
};

const quote = (more: object = {}) => ({
  amount: '0.01',
  currency: 'USDC',
  recipient: bazaar.market.seller.publicKey.toBase58(),
  ...more,
});

describe('a try', () => {
  it('buys from the paywall in every protocol, also with a body, and ends with 0', async () => {
    const before = bazaar.served.length;
    const { code, out, error } = await tryUrl(`${bazaar.url}/report?week=46`);
    expect({ code, out, error }).toEqual({
      code: 0,
      out: [
        'ok     receipts: bought for 0.01 USDC, answered 200.',
        'ok     MPP: bought for 0.01 USDC, answered 200.',
        'ok     x402, version 2: bought for 0.01 USDC, answered 200.',
        'ok     x402, version 1: bought for 0.01 USDC, answered 200.',
        '',
      ].join('\n'),
      error: '',
    });
    expect(bazaar.served.slice(before).map(({ dialect }) => dialect)).toEqual([
      'receipt',
      'mpp',
      'x402-v2',
      'x402-v1',
    ]);
    expect((await tryUrl(`${bazaar.url}/order`, '--data', '{"n":1}')).code).toBe(0);
  });

  it('goes on while its store gets another secret, and is in its sales', async () => {
    const file = join(bazaar.market.dataDir, 'grants.db');
    expect(await run('rotate', file)).toMatchObject({ code: 0, error: '' });
    expect((await tryUrl(`${bazaar.url}/report?week=47`)).code).toBe(0);
    const { code, out } = await run('sales', file, '--format', 'csv');
    expect([code, out.trim().split('\r\n').length]).toEqual([0, 1 + bazaar.served.length]);
    expect(await run('sales', file, '--by', 'week')).toMatchObject({ code: 2, out: '' });
    expect(await run('restored', '/nowhere')).toMatchObject({ code: 1, out: '' });
    expect((await run('sales', '--help')).out).toMatch(/^Says what was sold/);
  });

  it('says which protocols are not offered', async () => {
    const { facilitator: _, ...options } = bazaar.options;
    const { paywall } = await import('../../server/paywall/paywall.ts');
    const paid = paywall(options);
    const { code, out } = await tried((request, response) => {
      void paid(request, response, () => response.end('{}'));
    });
    expect(code).toBe(0);
    expect(out).toContain('-      x402, version 2: not offered.');
    expect(out).toContain('-      x402, version 1: not offered.');
  });

  it('says what is wrong with each offer', async () => {
    const request = Buffer.from(JSON.stringify({ amount: '0.01', currency: 'USD' })).toString('base64url');
    const { code, out } = await tried((_, response) =>
      refuse(
        response,
        { amount: '0.01', currency: 'USDC', recipient: 'me', x402Version: 1, accepts: {} },
        {
          'payment-required': encodeJson({ x402Version: 2, resource: {}, accepts: 7 }, 'base64'),
          'www-authenticate': `Payment id="1", realm="r", method="solana", intent="charge", request="${request}"`,
        },
      ),
    );
    expect(code).toBe(1);
    expect(out).toContain('WRONG  receipts: recipient must be a Solana address');
    expect(out).toContain('WRONG  MPP: amount must be whole micro-USDC above zero');
    expect(out).toContain('WRONG  x402, version 2: accepts must be a list, not 7.');
    expect(out).toContain('WRONG  x402, version 1: accepts must be a list, not an object.');
    expect(out).toContain('WRONG  Nothing could be bought in any protocol.');
  });

  it.each<[string, string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ['sells nothing', 'answers 200: nothing is sold', (_, response) => void response.end('{}')],
    ['is out of order', 'answers 500, not 402', (_, response) => void response.writeHead(500).end()],
    [
      'never serves',
      'receipts: was paid, and not served: 402 "no',
      (_, response) => refuse(response, quote({ error: 'no' })),
    ],
    [
      'serves a payment twice',
      'receipts: the same payment was served a second time.',
      (request, response) =>
        request.headers['x-payment'] === undefined ? refuse(response, quote()) : void response.end('{}'),
    ],
    [
      'lets a cache keep its 402',
      'the 402: has no Cache-Control: no-store',
      (_, response) => refuse(response, quote(), { 'cache-control': 'public' }),
    ],
    [
      'asks too much',
      'receipts: asks for 5.00 USDC, more than --max allows.',
      (_, response) => refuse(response, quote({ amount: '5.00' })),
    ],
    [
      'has a facilitator that refuses',
      'x402: a facilitator is set, and x402 is not offered: it answers 401.',
      (_, response) => refuse(response, quote({ notOffered: { x402: 'it answers 401' } })),
    ],
  ])('of a seller that %s ends with 1 and says: %s', async (_, words, answer) => {
    const { code, out } = await tried(answer);
    expect(out).toContain(words);
    expect(code).toBe(1);
  });

  it.each<[string[], number, string]>([
    [['try'], 2, 'Usage: agent-treasury-paywall try URL --rpc URL'],
    [['try', 'http://127.0.0.1:1'], 2, '--rpc must be an http(s) URL'],
    [['try', 'ftp://x', '--rpc', 'http://x'], 2, 'URL must be an http(s) URL'],
    [['try', 'http://x', '--rpc', 'http://x', '--network', 'mainnet'], 2, 'On mainnet money is real'],
    [['try', 'http://x', '--rpc', 'http://x', '--max', 'all'], 2, '--max must be a decimal string'],
    [['try', 'http://x', '--rpc', 'http://x', '--key', '/nowhere'], 1, '--key: /nowhere cannot be read'],
    [['try', 'http://x', '--rpc', 'http://127.0.0.1:1'], 1, 'ECONNREFUSED'],
    [['try', 'http://x', '--rps', 'http://127.0.0.1:1'], 2, "Unknown option '--rps'"],
  ])('%j ends with %i and says what to do', async (args, code, words) => {
    const ended = await run(...args);
    expect(ended.error).toContain(words);
    expect(ended.code).toBe(code);
  });

  it('pays with a key file, and says when a seller cannot be reached', async () => {
    const { url, market } = bazaar;
    const file = join(project.folder, 'key.json');
    writeFileSync(file, JSON.stringify([...market.buyer.secretKey]));
    expect((await tryUrl(url, '--key', file)).code).toBe(0);
    expect(bazaar.served.at(-1)?.payer).toBe(market.buyer.publicKey.toBase58());
    const gone = await tryUrl('http://127.0.0.1:1');
    expect(gone.code).toBe(1);
    expect(gone.error).toContain('http://127.0.0.1:1 cannot be reached');
  });

  it('prints its usage', async () => {
    expect((await run('--help')).out).toContain('  try       Buys from a paid API');
    const { code, out } = await run('try', '--help');
    expect(code).toBe(0);
    expect(out).toContain('Usage: agent-treasury-paywall try URL --rpc URL');
  });
});
