// The gate's file, and the command that serves it: a mistake is named with its line, a secret is nowhere.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGateFile } from '../../server/gate/file.ts';
import { readKeyFile } from '../../server/paywall/key-file.ts';
import { freePort } from '../harness/programs/free-port.ts';
import { closeServer } from '../paywall/seller.ts';
import { send } from './open-gate.ts';

const folder = mkdtempSync(join(tmpdir(), 'gate-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'gate.yml');
const main = fileURLToPath(new URL('../../server/customer/main.ts', import.meta.url));
const key = Keypair.generate();
const recipient = key.publicKey.toBase58();
const secret = 'sesame-5d1f';

const lines = [
  `recipient: ${recipient}`,
  'network: sandbox',
  'rpcUrl: http://127.0.0.1:1/${RPC_KEY}',
  'upstream: http://127.0.0.1:9000',
  "upstreamHeaders: { authorization: 'Bearer ${UPSTREAM_KEY}' }",
  'routes:',
  "  - { method: GET, path: /report, price: '0.001', output: { type: object } }",
  '  - method: POST',
  '    path: /summaries/:id',
  '    price: 0.02',
  '  - { method: GET, path: /health, free: true }',
];
const env = { RPC_KEY: secret, UPSTREAM_KEY: secret };
const faultOf = (text: string, given: NodeJS.ProcessEnv = env): string => {
  writeFileSync(file, text);
  try {
    readGateFile(file, given);
    return '';
  } catch (error) {
    return (error as Error).message.replaceAll(`${file}:`, '');
  }
};
/** The file with another line in place of the one that is counted from 1, or behind the last. */
const changed = (line: number, text: string): string => lines.toSpliced(line - 1, 1, text).join('\n');

describe('the file', () => {
  it('is read, with the environment in its values', () => {
    expect(faultOf(lines.join('\n'))).toBe('');
    const { upstreamHeaders, listen, routes } = readGateFile(file, env);
    expect(upstreamHeaders).toEqual({ authorization: `Bearer ${secret}` });
    expect(listen).toEqual({ host: '127.0.0.1', port: 8402 });
    expect(routes.map(({ price }) => price)).toEqual(['0.001', '0.02', undefined]);
  });

  it.each([
    [1, 'recipient: me', '1: recipient: must be a Solana address'],
    [1, '', '1: recipient: '],
    [2, 'network: main', '2: network: must be "sandbox", "devnet" or "mainnet"'],
    [4, 'upstream: http://127.0.0.1:9000/api', '4: upstream: must be scheme and host'],
    [4, 'upstream: http://me:pass@127.0.0.1:9000', '4: upstream: must be scheme and host'],
    [4, 'upstraem: http://127.0.0.1:9000', '4: upstraem: there is no such field'],
    [5, 'upstreamHeaders: { authorization: "${LACKING}" }', '5: the environment has no LACKING'],
    [5, '${LACKING}: 1', '5: ${LACKING}: there is no such field'],
    [
      7,
      "  - { method: GET, path: /report, price: '0.0000001' }",
      '7: routes.0.price: must be a decimal string',
    ],
    [7, "  - { method: get, path: /report, price: '1' }", '7: routes.0.method: must be a method in capitals'],
    [7, "  - { method: GET, path: '/report?x', price: '1' }", '7: routes.0.path: must be a path such as'],
    [7, '  - { method: GET, path: /healthz, free: true }', "7: routes.0: is one of the gate's own"],
    [
      7,
      "  - { method: GET, path: /a, price: '1', refundOn: [500-599] }",
      '7: routes.0.refundOn: needs refundKey',
    ],
    [
      7,
      "  - { method: GET, path: /a, price: '1', refundOn: [5xx] }",
      '7: routes.0.refundOn.0: must be a status',
    ],
    [7, "  - { method: GET, path: /a, price: '1', free: true }", '7: routes.0: needs either price or free'],
    [9, '    pth: /summaries/:id', '9: routes.1.pth: there is no such field'],
    [10, '    prize: 0.02', '10: routes.1.prize: there is no such field'],
    [
      11,
      '  - { method: POST, path: /summaries/:other, free: true }',
      '11: routes.2.path: repeats the path of an earlier route',
    ],
    [6, 'routes: [', ': is not valid YAML'],
    [6, 'service: *reports\nroutes:', '6: the alias names nothing'],
    [
      6,
      `about: &a [${'1,'.repeat(99)}]\nb: &b [${'*a,'.repeat(99)}]\nc: [${'*b,'.repeat(99)}]\nroutes:`,
      'more aliases than',
    ],
    [6, 'listen: 8402x\nroutes:', '6: listen: must be host and port'],
    [6, 'cors: all\nroutes:', "6: cors: must be '*' or a list of origins"],
    [6, 'settle: ftp://x\nroutes:', '6: settle: must be an http(s) URL'],
    [6, 'settle: self\nmostLamportsPerDay: 5\nroutes:', '7: mostLamportsPerDay: must be a whole number'],
    [
      6,
      'facilitatorHeaders: { "a b": c }\nroutes:',
      '6: facilitatorHeaders.a b: is not the name of a header',
    ],
    [6, "price: '1'\nroutes:", '6: price: there is no such field'],
    [6, 'bind: false\nroutes:', '6: bind: there is no such field'],
  ])('with a mistake in line %i names it, %#', (line, text, words) => {
    const fault = faultOf(changed(line, text));
    expect(fault).toContain(words);
    expect(fault).not.toContain(secret);
  });
});

describe('the key that pays the fees', () => {
  const keyFile = join(folder, 'fee-payer.json');
  it.each(['AbCdEfGhIjKlMnOpQrStUvWxYz', '[12,34,56,78,90,]'])(
    'is not quoted when it is in another form',
    (text) => {
      const other = join(folder, 'other.json');
      writeFileSync(other, text);
      expect(() => readKeyFile(other)).toThrow(
        `${other} is not a key file of the Solana command: a list of 64 numbers`,
      );
    },
  );

  it('is made at the first start, for this user alone, and not to check the file', async () => {
    const port = await freePort();
    const own = ['settle: self', `listen: ${port}`];
    writeFileSync(
      file,
      lines
        .with(1, 'network: devnet')
        .toSpliced(5, 0, ...own)
        .join('\n'),
    );
    const checked = spawnSync(process.execPath, [main, 'gate', file, '--check'], {
      encoding: 'utf8',
      env: { ...process.env, ...env, NODE_OPTIONS: '' },
    });
    expect(checked).toMatchObject({ status: 0, stderr: '' });
    expect(existsSync(keyFile)).toBe(false);
    const start = async (): Promise<string> => {
      const child = spawn(process.execPath, [main, 'gate', file], {
        env: { ...process.env, ...env, NODE_OPTIONS: '' },
      });
      const ended = once(child, 'exit');
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => (text += String(chunk)));
      await Promise.race([ended, expect.poll(() => text).toContain('send it SOL')]);
      child.kill('SIGTERM');
      await ended;
      return text;
    };
    const said = await start();
    const { address } = readKeyFile(keyFile);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(said).toContain(`Fees of x402 are paid by ${address}, the key in ${keyFile}: send it SOL.`);
    expect(await start()).toBe(said);
  });
});

describe('the command', () => {
  let server: Server;
  let serve: (response: ServerResponse) => void;
  let child: ChildProcess;
  let origin: string;
  let said = '';
  const heard = (words: string | RegExp) => expect.poll(() => said).toMatch(words);
  let text: string;
  beforeAll(async () => {
    server = createServer((_, response) => serve(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    const upstream = `upstream: http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    text = lines.toSpliced(3, 1, upstream, `listen: ${port}`, 'refundKey: key.json').join('\n');
    writeFileSync(file, text);
    writeFileSync(join(folder, 'key.json'), JSON.stringify([...key.secretKey]));
    child = spawn(process.execPath, [main, 'gate', file], {
      env: { ...process.env, ...env, NODE_OPTIONS: '' },
    });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += String(chunk)));
  });
  afterAll(async () => {
    child.kill('SIGKILL');
    await closeServer(server);
  });

  it('says at its start what it sells, and to whom', async () => {
    await heard('Buyers find it');
    expect(said).toContain(`${origin} sells for ${recipient} on sandbox`);
    expect(said).toMatch(
      /GET +\/report +0\.001 USDC\n +POST +\/summaries\/:id +0\.02 USDC\n +GET +\/health +free/,
    );
    expect(said).toContain('x402 needs settle');
  });

  it('reads its file again on SIGHUP, and keeps the old one when the new one is faulty', async () => {
    serve = (response) => response.end('fine');
    writeFileSync(file, text.replace('path: /health', 'path: /status'));
    child.kill('SIGHUP');
    await heard('was read again');
    expect((await send(origin, '/health')).status).toBe(404);
    expect((await send(origin, '/status')).status).toBe(200);
    writeFileSync(file, text.replace('free: true', 'fee: true'));
    child.kill('SIGHUP');
    await heard(/Keeping the previous file: .*routes\.2\.fee: there is no such field/);
    expect((await send(origin, '/status')).status).toBe(200);
  });

  it('says no secret, of the file or of the environment, and neither does its store', async () => {
    serve = (response) => void response.destroy();
    const answers = [
      await send(origin, '/status'),
      await send(origin, '/healthz'),
      await send(origin, '/report'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([502, 200, 503]);
    expect(JSON.parse(String(answers[1]?.body))).toMatchObject({ rpc: 'does not answer', store: 'answers' });
    for (const { raw, body } of answers)
      expect(raw.join() + String(body)).not.toMatch(new RegExp(`${secret}|:1/`));
    expect(said).not.toContain(secret);
    expect(said).not.toContain('127.0.0.1:1/');
    for (const name of readdirSync(folder).filter((one) => one.startsWith('grants')))
      expect(readFileSync(join(folder, name), 'latin1')).not.toContain(secret);
  });

  it('ends on SIGTERM, after the requests under way', async () => {
    let finish: (() => void) | undefined;
    const came = new Promise<void>((resolve) => {
      serve = (response) => {
        finish = () => void response.end('late');
        resolve();
      };
    });
    const asked = send(origin, '/status');
    await Promise.race([came, asked]);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await expect.poll(() => send(origin, '/nothing').catch(() => 'closed')).toBe('closed');
    finish?.();
    expect((await asked).body.toString()).toBe('late');
    expect((await ended)[0]).toBe(0);
  });
});
