// Random requests, once straight to the seller and once through the proxy: the seller sees the same, and so does the
// client. PROXY_BYTES_SEED repeats a run.
import { randomInt } from 'node:crypto';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDice, type Dice } from '../../harness/dice.ts';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import { tries } from '../../harness/tries.ts';
import { headOf, pathThrough, wholeOf } from './through.ts';

const seed = Number(process.env['PROXY_BYTES_SEED'] ?? randomInt(1, 2 ** 31 - 1));
const count = tries(60, 1_000);

interface Wanted {
  method: string;
  target: string;
  headers: string[];
  body: Buffer | null;
  answer: { status: number; headers: string[]; body: Buffer; isChunked: boolean };
}

let wanted: Wanted;
let seen: { line: string; headers: string[]; body: string }[] = [];
const isOfConnection = (name: string): boolean =>
  /^(?:host|connection|keep-alive|date|transfer-encoding)$/i.test(name);
const pairs = (raw: readonly string[]): string[] =>
  raw.flatMap((name, at) =>
    at % 2 === 0 && !isOfConnection(name) ? [`${name.toLowerCase()}: ${raw[at + 1] ?? ''}`] : [],
  );

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const body = await wholeOf(request);
  seen.push({
    line: `${request.method} ${request.url}`,
    headers: pairs(request.rawHeaders).toSorted(),
    body: body.toString('base64'),
  });
  const { status, headers, body: bytes, isChunked } = wanted.answer;
  if (!isChunked) headers.push('Content-Length', String(bytes.byteLength));
  response.writeHead(status, headers);
  if (request.method === 'HEAD' || status === 204 || status === 304) response.end();
  else response.end(bytes);
};

const seller = createServer((request, response) => void answer(request, response));
let treasury: Treasury;
let agent: TestAgent;
let origin: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => seller.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(seller.address() as AddressInfo).port}`;
  treasury = await openTreasury({ args: ['--confirm-ms', '0', '--allow-origin', origin] });
  agent = await deploy(treasury.client, 'reader', { allocate: null });
});
afterAll(async () => {
  await treasury.close();
  seller.closeAllConnections();
  seller.close();
});

/** One request with exactly these headers. */
const send = async (url: string, path: string, more: string[]) => {
  const { hostname, port, host } = new URL(url);
  const { method, headers, body } = wanted;
  const length = body === null ? [] : ['Content-Length', String(body.byteLength)];
  const outgoing = httpRequest({
    hostname,
    port,
    path,
    method,
    headers: ['Host', host, ...headers, ...length, ...more],
    agent: false,
  });
  outgoing.end(body ?? undefined);
  const response = await headOf(outgoing);
  const bytes = await wholeOf(response);
  return { status: response.statusCode, headers: response.headers, body: bytes.toString('base64') };
};

const unreserved = 'abcXYZ019-._~';
const odd = [...`!$&'()*+,;=:@"<>^\`{}|[]`, '%20', '%22', '%C3%A9', '%ff', '%00', '%3F', '%3f', '%', '%zz'];
const below = (dice: Dice, most: number): number => Math.floor(dice.roll() * most);
const textOf = (dice: Dice, most: number, from: readonly [string, ...string[]]): string =>
  Array.from({ length: below(dice, most) }, () => dice.pick(from)).join('');
const bytesOf = (dice: Dice): Buffer =>
  Buffer.from(Array.from({ length: below(dice, dice.pick([8, 300, 90_000])) }, () => below(dice, 256)));
const headersOf = (dice: Dice): string[] =>
  Array.from({ length: below(dice, 6) }, (_, at) => {
    const name = dice.pick([`X-Odd_${at}`, `x-same`, `X-SAME`, `Accept-Language`, `x!#$%&'*+.^_\`|~`]);
    // Joined with others of its name, an empty value would lose the space after its comma.
    return [name, 'v' + textOf(dice, 20, [' , ', ...unreserved, '"', '\t', '\xe9', ';']).trim()];
  }).flat();

const random = (dice: Dice): Wanted => {
  const method = dice.pick(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']);
  const path = `/${textOf(dice, 20, ['/', ...unreserved, ...odd.filter((one) => one !== '%00')])}`;
  const query = dice.pick([
    '',
    '?',
    `?${textOf(dice, 30, ['=', ...unreserved, ...odd, '?', '/', '&', '%2f', '/../'])}`,
  ]);
  // Node's own client gives every other method a length.
  const none = ['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method) ? null : Buffer.alloc(0);
  const body = method === 'HEAD' ? null : dice.pick([none, Buffer.alloc(0), bytesOf(dice), bytesOf(dice)]);
  const accepts = dice.pick([[], ['Accept-Encoding', 'gzip, deflate, br'], ['Accept', '*/*']]);
  const isZipped = below(dice, 4) === 0;
  const bytes = bytesOf(dice);
  return {
    method,
    target: `${path}${query}`.replaceAll(/\/\.{1,2}(?=\/|$|\?)/g, '/x'),
    headers: [
      ...headersOf(dice),
      ...accepts,
      'Content-Type',
      dice.pick(['application/json', 'x/y; z="a b"']),
    ],
    body,
    answer: {
      status: dice.pick([200, 201, 204, 206, 302, 304, 400, 401, 404, 409, 429, 500, 503]),
      headers: [...headersOf(dice), ...(isZipped ? ['Content-Encoding', 'gzip'] : []), 'ETag', '"a"'],
      body: isZipped ? gzipSync(bytes) : bytes,
      isChunked: below(dice, 2) === 0,
    },
  };
};

it('are the same on both sides', async () => {
  process.stdout.write(`proxy bytes: ${count} requests, seed ${seed}\n`);
  const dice = createDice(seed);
  for (let at = 0; at < count; at += 1) {
    wanted = random(dice);
    const { answer: wantedAnswer } = wanted;
    const fresh = () =>
      (wanted = { ...wanted, answer: { ...wantedAnswer, headers: [...wantedAnswer.headers] } });
    seen = [];
    fresh();
    const direct = await send(origin, wanted.target, []);
    fresh();
    const path = pathThrough('reader', `${origin}${wanted.target}`);
    const through = await send(treasury.host.url, path, ['X-Treasury-Key', agent.key]);
    const what = `request ${at} of seed ${seed}: ${wanted.method} ${wanted.target}`;
    expect(seen, what).toHaveLength(2);
    expect(seen[1], what).toEqual(seen[0]);
    const {
      'content-security-policy': policy,
      'x-content-type-options': sniffing,
      'x-treasury-from': from,
      ...headers
    } = through.headers;
    expect([policy, sniffing, from], what).toEqual(["sandbox; default-src 'none'", 'nosniff', 'seller']);
    for (const name of ['date', 'connection', 'keep-alive', 'transfer-encoding']) {
      delete headers[name];
      delete direct.headers[name];
    }
    expect({ ...through, headers }, what).toEqual(direct);
  }
});
