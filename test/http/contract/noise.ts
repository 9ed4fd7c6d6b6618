// Random requests that no client would send, and the judgement of their answers.
import { routes, type Route } from '../../../server/contract/routes.ts';
import type { Dice } from '../../harness/dice.ts';
import { cors } from '../door/guarded.ts';
import { requestText, type RawAnswer } from './raw.ts';

const publicWords = new Set(
  (Object.values(routes) as Route[])
    .filter(({ access }) => access === 'public' || access === 'identity')
    .map(({ path }) => path.split('/')[2] ?? ''),
);
const publicPattern = new RegExp([...publicWords].map((word) => word.replaceAll('.', '\\.')).join('|'), 'i');
/** The dashboard's pages, which are public: everything but the API and the demo seller. */
const pagePattern = /^\S* (?!\/*(v1|sandbox)\b)/i;
/** Whether an answer to this may be a 2xx without a credential. */
const mayBePublic = (text: string, isFirstAnswer: boolean): boolean =>
  publicPattern.test(text) || (isFirstAnswer && pagePattern.test(text));

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

/** The host of the public address: half of the requests with a host of ours come by that door. */
export const publicHost = 'treasury.test';

/** The next random request; some have bytes changed, some are cut short. */
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
    for (let flips = upTo(dice, 4); flips > 0; flips -= 1)
      bytes[upTo(dice, bytes.length) - 1] = upTo(dice, 256) - 1;
  return dice.isLucky(0.15) ? bytes.subarray(0, upTo(dice, bytes.length) - 1) : bytes;
};

/** From 1 to `most`. */
const upTo = (dice: Dice, most: number): number => 1 + Math.floor(dice.roll() * most);

/** How the JSON of a public answer begins. */
const publicBody = /^\{"(ok|openapi|query|categories|models|token|status|wallet)":/;
/** A source file is recognised by its shape: an answer may repeat a requested path, with any word in it. */
const inside = /\n\s+at |node_modules|\.ts:\d|[A-Za-z]Error:|(?<![\w-])server\/[\w./-]+\.[mc]?[jt]s\b|SQLITE/;

export interface Faults {
  crashed: string[];
  letIn: string[];
  told: string[];
}

export const noFaults = (): Faults => ({ crashed: [], letIn: [], told: [] });

/** Adds what is wrong with the answer to these bytes. */
export const judge = (
  bytes: Uint8Array,
  { status: first, head, body, all }: RawAnswer,
  faults: Faults,
): void => {
  const text = Buffer.from(bytes).toString('latin1');
  const printed = JSON.stringify(text.slice(0, 300));
  for (const [index, [, code]] of [...all.matchAll(/HTTP\/1\.1 ([2-5]\d\d)/g)].entries()) {
    const status = Number(code);
    // CONNECT alone is refused as a method that this server does not have.
    if (status >= 500 && !(status === 501 && text.startsWith('CONNECT ')))
      faults.crashed.push(`${status} to ${printed}`);
    if (status < 300 && !mayBePublic(text, index === 0)) faults.letIn.push(`${status} to ${printed}`);
  }
  if (first === 200 && body.startsWith('{') && !publicBody.test(body))
    faults.told.push(`${body.slice(0, 100)} to ${printed}`);
  if (inside.test(all.replace(/\{"openapi".*/s, ''))) faults.told.push(`${all.slice(0, 300)} to ${printed}`);
  if (cors.test(head)) faults.told.push(`CORS: ${head}`);
};
