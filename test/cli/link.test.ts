// `treasury link` and `treasury fetch`: a machine gets an agent of its own, and pays as it.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTo } from '../../server/lib/files/owner-only.ts';
import {
  deploy,
  instantly,
  openTreasury,
  removeFolder,
  spawnTreasury,
  temporaryFolder,
  until,
  type Treasury,
} from '../harness/treasury.ts';
import { run, type Ended, type Setting } from './terminal.ts';
import { programOf } from '../harness/programs/programs.ts';

let treasury: Treasury;
let home: string;
/** A paid API that behaves as each test tells it to. */
let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => answer(request, response, body));
});
let seller: string;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  seller = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  treasury = await openTreasury({ args: [...instantly, '--allow-origin', seller] });
});
afterAll(async () => {
  await treasury.close();
  server.close();
});
beforeEach(() => {
  home = temporaryFolder();
  return () => removeFolder(home);
});

const command = (args: readonly string[], setting: Partial<Setting> = {}): Promise<Ended> =>
  run(['--data', treasury.dataDir, ...args], { home, ...setting });
const file = (): string => join(home, '.config', 'agent-treasury', 'agent.json');
const written = () => JSON.parse(readFileSync(file(), 'utf8')) as Record<string, string>;
const waiting = () =>
  until('the request', async () => {
    const { links } = (await treasury.client.get('/v1/link-sessions')).body;
    return links.length > 0 && links[0];
  });
/** Grants or denies in the owner's inbox. */
const decide = async (what: 'grant' | 'deny', body: unknown = {}): Promise<Record<string, string>> => {
  const link = await waiting();
  const { status } = await treasury.client.post(`/v1/link-sessions/${link.linkId}/${what}`, body);
  expect(status).toBe(200);
  return link;
};
const link = async (agentId: string, more: readonly string[] = []): Promise<Ended> => {
  const ended = command(['link', ...more]);
  await decide('grant', { agentId });
  return ended;
};

describe('treasury link', () => {
  it('shows the code, opens the page, and writes the file that the specification names', async () => {
    const opened: string[] = [];
    const args = ['link', '--agent', 'wish', '--name', 'the laptop'];
    const ending = command(args, { browse: (url) => opened.push(url) });
    const asked = await waiting();
    expect(asked).toMatchObject({ machine: 'the laptop', agentId: 'wish' });
    await treasury.client.post(`/v1/link-sessions/${asked.linkId}/grant`, { agentId: 'wish' });
    const ended = await ending;

    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain(asked.code);
    expect(opened).toEqual([/http:\S+/.exec(ended.stdout)?.[0]]);
    expect(opened[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/link\?token=lnk_/);
    const { agentId, walletAddress, apiKey, linkedAt, ...more } = written();
    expect([agentId, more]).toEqual(['wish', {}]);
    expect(Date.parse(linkedAt ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(openTo(file())).toBeNull();
    expect(openTo(dirname(file()))).toBeNull();
    expect(readdirSync(dirname(file()))).toEqual(['agent.json']);
    const balance = await treasury.client.as(apiKey ?? '').get('/v1/agents/wish/balance');
    expect(balance.body['walletAddress']).toBe(walletAddress);
    expect(ended.stdout + ended.stderr).not.toContain(apiKey);
  });

  it.each(['file:///usr/bin/open', '\\\\evil.test\\share\\run.exe', 'https://evil.test/link?token=lnk_x'])(
    'opens and shows nothing but an address of the treasury that it asked: %s',
    async (linkUrl) => {
      const opened: string[] = [];
      answer = (_request, response) => {
        const expiresAt = new Date().toISOString();
        response.setHeader('content-type', 'application/json');
        response.end(
          JSON.stringify({ token: 'lnk_x', linkUrl, expiresAt, code: 'AAAA-AAAA', pollSecret: 'x' }),
        );
      };
      const ended = await command(['link', '--url', seller], { browse: (url) => opened.push(url) });
      expect([opened, ended.stdout]).toEqual([[], '']);
      expect(ended.stderr).toContain('not its own');
    },
  );

  it('opens no browser when told not to, and prints one document when asked', async () => {
    const opened: string[] = [];
    const ending = command(['link', '--no-browser', '--json'], { browse: (url) => opened.push(url) });
    await decide('grant', { agentId: 'quiet' });
    const ended = await ending;
    expect(ended.json).toMatchObject({ agentId: 'quiet', file: file() });
    expect(ended.json).not.toHaveProperty('apiKey');
    expect(ended.stderr).toContain('Code');
    expect(opened).toEqual([]);
  });

  it('asks before it replaces a link', async () => {
    mkdirSync(dirname(file()), { recursive: true });
    const old = { agentId: 'old', walletAddress: 'w', apiKey: 'atk_old', linkedAt: 'then' };
    writeFileSync(file(), JSON.stringify(old));
    expect(await command(['link'])).toMatchObject({ code: 3, stdout: '' });
    const refused = await command(['link'], { typed: ['n'] });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('linked to the agent old');
    expect(written()['agentId']).toBe('old');
    expect(await link('renewed', ['--yes'])).toMatchObject({ code: 0 });
    expect(written()['agentId']).toBe('renewed');
    expect(readdirSync(dirname(file()))).toEqual(['agent.json']);
  });

  it('writes nothing when the owner refuses', async () => {
    const ending = command(['link']);
    await decide('deny');
    expect(await ending).toMatchObject({ code: 5, stderr: 'The owner declined.\n' });
    expect(existsSync(file())).toBe(false);
  });

  it('says so when no treasury runs', async () => {
    const ended = await run(['--data', home, 'link'], { home });
    expect(ended).toMatchObject({ code: 8, stdout: '' });
    expect(ended.stderr).toContain('not running');
  });

  it('makes this machine’s MCP bridge act for the agent', async () => {
    await link('bridged');
    const bridge = spawn(process.execPath, [programOf('server/mcp/main.ts')], {
      env: { HOME: home, PATH: process.env['PATH'], TREASURY_DATA: treasury.dataDir },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const send = (message: object): void =>
      void bridge.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'a test', version: '1' };
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    });
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'check_balance', arguments: {} } });
    let said = '';
    bridge.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until('the balance', () => said.includes('"id":2'));
    expect(said).toContain('0.00 USDC in the wallet of bridged.');
    bridge.kill();
  });
});

const weather = (): string => `${treasury.host.url}/sandbox/weather?city=Lisbon`;
const balance = async (agentId: string): Promise<string> =>
  (await treasury.client.get(`/v1/agents/${agentId}/balance`)).body['balance'];

describe('treasury fetch', () => {
  it('pays as the linked agent, and prints the answer and nothing else', async () => {
    await link('fetcher');
    await treasury.client.post('/v1/agents/fetcher/allocate', { amount: '1' });
    const ended = await command(['fetch', weather()]);
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ city: 'Lisbon' });
    expect(ended.stderr).toBe('0.01 USDC paid to sandbox-weather; the API answered 200.\n');
    expect(await balance('fetcher')).toBe('0.99');

    const asJson = await command(['fetch', weather(), '--json']);
    expect(asJson.json).toMatchObject({
      status: 200,
      payment: { amount: '0.01', service: 'sandbox-weather' },
    });
    const headed = await command(['fetch', '-i', weather()]);
    expect(headed.stdout).toMatch(/^HTTP 200\n(.+\n)*content-type: application\/json.*\n(.+\n)*\n\{/);
    expect(await balance('fetcher')).toBe('0.97');
  });

  it('pays no more than it was told to', async () => {
    await link('careful');
    await treasury.client.post('/v1/agents/careful/allocate', { amount: '1' });
    const refused = await command(['fetch', weather(), '--max-amount', '0.009']);
    expect(refused).toMatchObject({ code: 6, stdout: '' });
    expect(refused.stderr).toContain('Nothing was paid');
    expect(await balance('careful')).toBe('1.00');
  });

  it('waits for the owner’s approval, or ends and says how to get it', async () => {
    await link('asker');
    await treasury.client.post('/v1/agents/asker/allocate', { amount: '1' });
    await treasury.client.post('/v1/agents/asker/policy', { approveAbove: '0' });
    const waits = command(['fetch', weather()]);
    const [approval] = await until('the request', async () => {
      const { approvals } = (await treasury.client.get('/v1/approvals')).body;
      return approvals.length > 0 && approvals;
    });
    const { approvalId, hash } = approval;
    await treasury.client.post(`/v1/approvals/${approvalId}/grant`, { hash });
    expect(await waits).toMatchObject({ code: 0, stdout: expect.stringContaining('Lisbon') });
    expect(await balance('asker')).toBe('0.99');
    const ended = await command(['fetch', weather(), '--no-wait']);
    expect(ended).toMatchObject({ code: 3, stdout: '' });
    const [, asked = '', key = ''] = /treasury approve (apr_\w+)\. .*--key (\S+)\n$/.exec(ended.stderr) ?? [];
    const { body } = await treasury.client.get(`/v1/approvals/${asked}`);
    await treasury.client.post(`/v1/approvals/${asked}/grant`, { hash: body['hash'] });
    const later = await command(['fetch', weather(), '--key', key]);
    expect(later).toMatchObject({ code: 0, stdout: expect.stringContaining('Lisbon') });
    expect(await balance('asker')).toBe('0.98');
  });

  it('sends what it is told to, as curl would, and ends with 1 when the API refuses', async () => {
    await link('curler');
    const seen: string[] = [];
    answer = ({ method, headers }, response, body) => {
      seen.push(`${method} ${headers['x-one']} ${headers['x-two']} ${body}`);
      response.writeHead(418, { 'x-said': 'a\u009B31m' }).end('tea');
    };
    const ended = await command(['fetch', seller, '-H', 'X-One: a', '-H', 'X-Two:b', '-d', 'text']);
    expect(ended).toMatchObject({ code: 1, stdout: 'tea', stderr: 'The API answered 418.\n' });
    await command(['fetch', seller, '-X', 'patch', '-d', 'more']);
    const headed = await command(['fetch', seller, '-i']);
    expect(headed.stdout).toMatch(/^HTTP 418\n[^]*x-said: a 31m\n[^]*\n\ntea$/);
    expect(seen).toEqual(['POST a b text', 'PATCH undefined undefined more', 'GET undefined undefined ']);
    for (const wrong of [
      ['-X', 'HEAD'],
      ['-H', 'nothing'],
      ['--max-amount', '1e3'],
      ['--key', 'a b'],
      ['--service', 'sandbox-weather'],
    ])
      expect(await command(['fetch', seller, ...wrong])).toMatchObject({ code: 2, stdout: '' });
  });

  it('ends with 4 when it paid and nothing was delivered, and continues with the same payment', async () => {
    await link('patient');
    await treasury.client.post('/v1/agents/patient/allocate', { amount: '1' });
    const recipient = treasury.host.engine.context.store.services.get('sandbox-weather')?.payees[0];
    const receipts: unknown[] = [];
    let broken = 2;
    answer = ({ headers: { 'x-payment': receipt } }, response) => {
      if (receipt === undefined)
        return void response
          .writeHead(402)
          .end(JSON.stringify({ amount: '0.05', currency: 'USDC', recipient }));
      receipts.push(receipt);
      broken -= 1;
      response.writeHead(broken < 0 ? 200 : 500).end('Here.');
    };
    const ended = await command(['fetch', seller]);
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    const [, paymentId, key = ''] = /treasury payment (pay_\w+)\. .*--key (\S+) /.exec(ended.stderr) ?? [];
    expect(await command(['fetch', seller, '--key', key])).toMatchObject({ code: 4, stdout: '' });
    const json = await command(['fetch', seller, '--key', key, '--json']);
    expect(json).toMatchObject({ code: 0, json: { body: 'Here.', payment: { paymentId, amount: '0.05' } } });
    expect(json.stderr).toContain(`0.05 USDC paid to ${seller}; the API answered 200.`);
    expect([await balance('patient'), receipts.length, new Set(receipts).size]).toEqual(['0.95', 3, 1]);
    // Without the idempotency key it is another purchase.
    expect(await command(['fetch', seller])).toMatchObject({ code: 0, stdout: 'Here.' });
    expect(await balance('patient')).toBe('0.90');
  });

  it('prints the idempotency key when the treasury goes away before it answers', async () => {
    const dataDir = join(home, 'data');
    const slow = ['--confirm-ms', '2000', '--finalize-ms', '0'];
    let host = await spawnTreasury(dataDir, slow);
    const agent = await deploy(host.client, 'unlucky', { allocate: '1.00' });
    const env = { TREASURY_API_KEY: agent.key, TREASURY_AGENT_ID: 'unlucky' };
    const buy = (...more: string[]): Promise<Ended> => {
      const url = `${host.ready.url}/sandbox/weather?city=Lisbon`;
      return run(['--data', dataDir, 'fetch', url, ...more], { home, env });
    };
    const payments = async () => (await host.client.get('/v1/agents/unlucky/spend-history')).body['payments'];
    const { port } = new URL(host.ready.url);
    const buying = buy();
    await until('the payment', async () => (await payments()).length === 1);
    host.client.close();
    await host.kill('SIGKILL');
    const ended = await buying;
    expect(ended).toMatchObject({ code: 9, stdout: '' });
    const [, key = ''] = /Repeat it with --key (\S+): /.exec(ended.stderr) ?? [];
    host = await spawnTreasury(dataDir, [...slow, '--port', port]);
    expect(await buy('--key', key)).toMatchObject({ code: 0, stdout: expect.stringContaining('Lisbon') });
    expect(await payments()).toHaveLength(1);
    host.client.close();
    await host.kill('SIGTERM');
  });

  it('says how to link a machine that is not linked', async () => {
    const ended = await command(['fetch', weather()]);
    expect(ended).toMatchObject({ code: 5, stdout: '' });
    expect(ended.stderr).toContain('treasury link');
  });
});
