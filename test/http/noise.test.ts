// Thousands of random requests that no client would send.
import { describe, expect, it } from 'vitest';
import { routes } from '../../server/contract/routes.ts';
import { createDice } from '../harness/dice.ts';
import { tries } from '../harness/tries.ts';
import { cors } from './guarded.ts';
import { agent, port, treasury, useTreasury } from './raw-treasury.ts';
import { requestText, sendRaw } from './raw.ts';
import { stateOf } from './state.ts';

useTreasury();

type Choices = readonly [string, ...string[]];

describe('noise', () => {
  const { roll, isLucky, pick } = createDice(4402);

  const targets: Choices = [
    '/',
    ...Object.values(routes).map(({ path }) => path.replace(':agentId', 'payer')),
    '/sandbox/weather?city=x',
    '/sandbox',
  ];
  const secrets: Choices = ['atk_', 'own_', 'lnk_', 'Bearer', '', 'undefined', 'null', 'x'.repeat(300)];
  const headers = (): string[] => [
    isLucky(0.9) ? `Host: 127.0.0.1:${port}` : pick(['Host: evil.com', 'Host:', '']),
    ...(isLucky(0.5) ? [`Authorization: ${pick(['Bearer', 'Basic', 'bearer', ''])} ${pick(secrets)}`] : []),
    ...(isLucky(0.5)
      ? [`Content-Type: ${pick(['application/json', 'text/plain', 'application/json; charset=x', ';;;'])}`]
      : []),
    ...(isLucky(0.2)
      ? [
          pick([
            'Expect: 100-continue',
            'Upgrade: websocket\r\nConnection: Upgrade',
            'Transfer-Encoding: chunked',
            'X-HTTP-Method-Override: POST',
            'X-Payment: v1.AAAA',
            'X-Forwarded-For: 127.0.0.1',
            'Range: bytes=0-1',
            'Cookie: token=x',
            'Prefer: wait=1',
            'TE: trailers',
          ]),
        ]
      : []),
  ];
  const bodies: Choices = [
    '',
    '{}',
    '{"amount":"1"}',
    '{',
    '[]',
    '\0\0\0',
    'null',
    '{"a":'.repeat(500),
    'GET /v1/freeze HTTP/1.1\r\n\r\n',
  ];

  const noisy = (): Buffer => {
    const method = pick([
      'GET',
      'GET',
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
    ]);
    const body = pick(bodies);
    const owner = pick([
      '',
      `?owner=${treasury.owner}`,
      '?owner=x',
      '?%',
      `?owner=${treasury.owner}&owner=${agent.wallet}`,
    ]);
    const length = isLucky(0.6)
      ? [`Content-Length: ${pick([body.length, body.length, 0, 3, 70_000, -1])}`]
      : [];
    const text = requestText({
      method,
      target: pick(targets) + owner,
      headers: [...headers(), ...length],
      body,
    });
    const bytes = Buffer.from(text, 'latin1');
    if (isLucky(0.3))
      for (let flips = 1 + Math.floor(roll() * 4); flips > 0; flips -= 1)
        bytes[Math.floor(roll() * bytes.length)] = Math.floor(roll() * 256);
    return isLucky(0.15) ? bytes.subarray(0, Math.floor(roll() * bytes.length)) : bytes;
  };

  const open = /^\{"(ok|openapi|query|categories|models|token|status|wallet)":/;
  const inside = /\n\s+at |node_modules|\.ts:\d|[A-Za-z]Error:|(?<!-)server\/|SQLITE/;

  const each = tries(40, 100);
  it(`of ${50 * each} requests causes no crash, no answer without a credential and no internal detail`, async () => {
    const before = stateOf(treasury.host);
    const wrong: string[] = [];
    const statuses = new Map<number, number>();
    const worker = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) {
        const bytes = noisy();
        const answer = await sendRaw(port, bytes, 100);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        const isPublic = /health|openapi|search|categories|link-sessions|sign-in|models/.test(
          bytes.toString('latin1'),
        );
        for (const [, status] of answer.all.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
          // CONNECT alone is refused as what this server does not do.
          const isConnect = status === '501' && bytes.toString('latin1').startsWith('CONNECT ');
          if (Number(status) >= 500 && !isConnect)
            wrong.push(`${status} to ${JSON.stringify(bytes.toString('latin1'))}`);
          if (status?.startsWith('2') && !isPublic)
            wrong.push(`let in: ${JSON.stringify(bytes.toString('latin1'))}`);
        }
        if (answer.status === 200 && answer.body.startsWith('{') && !open.test(answer.body))
          wrong.push(`told ${answer.body.slice(0, 100)}`);
        if (inside.test(answer.all.replace(/\{"openapi".*/s, '')))
          wrong.push(`from inside: ${answer.all.slice(0, 300)}`);
        if (cors.test(answer.head)) wrong.push(`CORS: ${answer.head}`);
      }
    };
    await Promise.all(Array.from({ length: 50 }, () => worker(each)));
    expect(wrong).toEqual([]);
    for (const status of [200, 400, 401, 403])
      expect(statuses.get(status), String(status)).toBeGreaterThan(0);
    expect(stateOf(treasury.host)).toBe(before);
    expect((await agent.pay('0.01')).status).toBe(200);
  });
});
