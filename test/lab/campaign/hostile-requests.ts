// Hostile requests for the raw sockets of gate 8.
import { routes, type Route } from '../../../server/contract/routes.ts';
import type { Dice } from '../../harness/dice.ts';
import { strangeHosts } from '../../http/guarded.ts';
import { requestText } from '../../http/raw.ts';
import { between } from './gate.ts';

/** `P` stands for the port. The first two are ours. */
export const hosts: readonly string[] = [
  '127.0.0.1:P',
  'localhost:P',
  '',
  ...strangeHosts,
  'localhost:80',
  'evil.com:80',
  'user:pass@127.0.0.1:P',
  'localhost.localdomain:P',
  '0x7f000001:P',
  'evil.com, 127.0.0.1:P',
  '127.0.0.1:P\\@evil.com',
  '127.0.0.1%0a:P',
  'P',
];
export const isOwnHost = (host: string): boolean => host === '127.0.0.1:P' || host === 'localhost:P';

/** Undefined is no Origin. The first two are of no page and of the dashboard; the last two only contain ours. */
export const origins: readonly (string | undefined)[] = [
  undefined,
  'http://127.0.0.1:P',
  'null',
  'http://localhost:3000',
  'http://127.0.0.1:P.evil.test',
  'http://evil.test?http://localhost:P',
];
export const isOwnOrigin = (origin: string | undefined): boolean =>
  origin === undefined || origin === 'http://127.0.0.1:P';

/** Whether an answer to these bytes may be a 2xx without a credential. */
const publicWords = new Set(
  (Object.values(routes) as Route[])
    .filter(({ access }) => access === 'public' || access === 'identity')
    .map(({ path }) => path.split('/')[2] ?? ''),
);
const publicPattern = new RegExp([...publicWords].map((word) => word.replaceAll('.', '\\.')).join('|'), 'i');
/** The dashboard's pages, which are public: everything but the API and the demo seller. */
const pagePattern = /^\S* (?!\/*(v1|sandbox)\b)/i;
export const mayBePublic = (bytes: Uint8Array, isFirstAnswer: boolean): boolean => {
  const text = Buffer.from(bytes).toString('latin1');
  return publicPattern.test(text) || (isFirstAnswer && pagePattern.test(text));
};

const targets: readonly [string, ...string[]] = [
  '/',
  ...(Object.values(routes) as Route[]).map(({ path }) =>
    path.replace(':agentId', 'payer').replaceAll(/:\w+/g, 'none'),
  ),
  '/sandbox',
  '/sandbox/weather?city=x',
  '/../etc/passwd',
  '/v1/agents/payer/pay/',
  '/v1//agents/payer/pay',
  '/V1/freeze',
];
const methods = [
  'GET',
  'GET',
  'POST',
  'POST',
  'POST',
  'DELETE',
  'PUT',
  'OPTIONS',
  'HEAD',
  'PATCH',
  'TRACE',
  'CONNECT',
  'get',
  '',
] as const;
const tokens = [
  'atk_',
  'own_',
  'lnk_',
  'ses_',
  '',
  'undefined',
  'null',
  'x'.repeat(300),
  `atk_${'A'.repeat(43)}`,
] as const;
const extras = [
  'Expect: 100-continue',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, identity',
  'Content-Length: 5\r\nContent-Length: 6',
  'X-HTTP-Method-Override: POST',
  'X-Forwarded-For: 127.0.0.1',
  'X-Forwarded-Host: 127.0.0.1',
  'Range: bytes=0-1',
  'Cookie: token=x',
  'Prefer: wait=1',
  'Idempotency-Key: x',
  `X-Long: ${'x'.repeat(17_000)}`,
  'X-Payment: v1.AAAA',
  'Origin: https://evil.com',
  'X\0Y: z',
] as const;
const bodies = [
  '',
  '{}',
  '{"amount":"1","service":"sandbox-weather","currency":"USDC"}',
  '{',
  '[]',
  '\0\0\0',
  'null',
  '{"__proto__":{"isOwner":true}}',
  '{"a":'.repeat(500),
  'x'.repeat(70_000),
  'GET /v1/freeze HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
  '0\r\n\r\nPOST /v1/freeze HTTP/1.1\r\n\r\n',
] as const;

/** The next random request; some have bytes changed, some are cut short. */
/** The host of the public address: half of the requests with a host of ours come by that door. */
export const publicHost = 'treasury.test';

export const noisyRequest = (dice: Dice, port: number, owner: string): Buffer => {
  const body = dice.isLucky(0.4) ? '' : dice.pick(bodies);
  const query = dice.pick(['', `?owner=${owner}`, '?owner=x', '?%', `?owner=${owner}&owner=x`, '?owner[]=x']);
  const headers = [
    dice.isLucky(0.9)
      ? dice.pick([`Host: 127.0.0.1:${port}`, `Host: ${publicHost}`])
      : dice.pick(['Host: evil.com', 'Host:', '', `Host: ${publicHost}.evil.com`]),
    ...(dice.isLucky(0.5)
      ? [`Authorization: ${dice.pick(['Bearer', 'Basic', 'bearer', ''])} ${dice.pick(tokens)}`]
      : []),
    ...(dice.isLucky(0.6)
      ? [
          `Content-Type: ${dice.pick(['application/json', 'application/json', 'text/plain', 'application/json; charset=x', ';;;'])}`,
        ]
      : []),
    ...(dice.isLucky(0.25) ? [dice.pick(extras)] : []),
    ...(dice.isLucky(0.8)
      ? [`Content-Length: ${dice.isLucky(0.8) ? body.length : dice.pick([0, 3, 70_000, -1])}`]
      : []),
  ];
  const text = requestText({ method: dice.pick(methods), target: dice.pick(targets) + query, headers, body });
  const bytes = Buffer.from(text, 'latin1');
  if (dice.isLucky(0.3))
    for (let flips = between(dice, 1, 4); flips > 0; flips -= 1)
      bytes[between(dice, 0, bytes.length - 1)] = between(dice, 0, 255);
  return dice.isLucky(0.15) ? bytes.subarray(0, between(dice, 0, bytes.length - 1)) : bytes;
};
