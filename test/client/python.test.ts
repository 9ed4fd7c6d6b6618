// The tests of the Python package, run by Debian's Python against a treasury and a seller.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRich, seller, useSeller } from '../harness/seller-treasury.ts';
import { deploy, type Treasury } from '../harness/treasury.ts';
import { deliver } from '../harness/x402-seller.ts';
import { installWheel, pythonMissing, pythonProgram } from './programs.ts';

const file = new URL('test_agent_treasury.py', import.meta.url);
const names = [...readFileSync(file, 'utf8').matchAll(/def (test_\w+)/g)].map(([, name = '']) => name);
const missed = pythonMissing();
useSeller();

describe('the Python package', () => {
  let treasury: Treasury;
  let said = '';
  beforeAll(async () => {
    treasury = await openRich({ proxyHoldMs: 2_000 });
    if (missed !== null) return;
    const wheel = await installWheel();
    const { agentId, key } = await deploy(treasury.client, 'snake', { allocate: '5.00' });
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`x-${at}`, 'a']));
    seller.free = ({ url }, response) => {
      if (url === '/free/from') response.writeHead(302, { location: '/free/to' }).end();
      else response.writeHead(200, url === '/free/many' ? many : {}).end('there');
    };
    seller.behave = async ({ settle, path, response }) => {
      const transaction = await settle();
      if (path === '/slow') await wait(1_500);
      if (path.startsWith('/moved')) return void response.writeHead(302, { location: '/data' }).end('moved');
      if (path === '/many') return void response.writeHead(200, many).end('goods');
      if (path === '/same') response.statusCode = 304;
      if (path.startsWith('/missing')) response.statusCode = 404;
      if (path === '/unauthorized') {
        response.statusCode = 401;
        response.setHeader('www-authenticate', 'Digest realm="r", nonce="n", qop="auth"');
      }
      if (path === '/cut') {
        response.writeHead(200, { 'content-length': '1000' }).write('x'.repeat(500));
        return void setTimeout(() => response.socket?.destroy(), 200);
      }
      deliver(response, transaction);
    };
    const { command, args, env } = pythonProgram(wheel, '-m', 'unittest', '-v', 'test_agent_treasury');
    const child = spawn(command, args, {
      cwd: fileURLToPath(new URL('.', file)),
      env: {
        PATH: process.env['PATH'],
        ...env,
        PYTHONDONTWRITEBYTECODE: '1',
        SELLER: seller.url,
        TREASURY_URL: treasury.host.url,
        TREASURY_AGENT_ID: agentId,
        TREASURY_API_KEY: key,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  });
  afterAll(() => treasury.close());

  it.for(names)('passes %s', (name, { skip }) => {
    skip(missed !== null, missed ?? undefined);
    expect(said).toMatch(new RegExp(`^${name} .* ok$`, 'm'));
  });

  it('has run all of them', ({ skip }) => {
    skip(missed !== null, missed ?? undefined);
    expect(said).toContain(`Ran ${names.length} tests`);
    expect(said).toMatch(/^OK$/m);
  });
});
