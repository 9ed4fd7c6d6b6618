// The errors for a client's wrong requests; and no request can end the process.
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';

import { startStandAlone } from './stand-alone.ts';
import {
  latestBlockhash,
  memo,
  newKey,
  newPayer,
  signed,
  startSandbox,
  temporaryDir,
  transfer,
  usdcMint,
} from './support.ts';

const post = async (url: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

describe('JSON-RPC', () => {
  test('answers batches, refuses non-requests and does not answer notifications', async () => {
    const { rpcUrl } = await startSandbox();
    const answer = async (body: string): Promise<unknown> => (await post(rpcUrl, body)).json();
    const health = { jsonrpc: '2.0', id: 'a', method: 'getHealth' };
    expect(await answer(JSON.stringify([health, { ...health, id: 7, method: 'getNothing' }, 5]))).toEqual([
      { jsonrpc: '2.0', id: 'a', result: 'ok' },
      { jsonrpc: '2.0', id: 7, error: { code: -32601, message: 'Method not found' } },
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid request' } },
    ]);
    expect(await answer('{')).toMatchObject({ error: { code: -32700 }, id: null });
    expect(await answer('[]')).toMatchObject({ error: { code: -32600 } });
    expect(await answer(JSON.stringify({ ...health, params: 'x' }))).toMatchObject({
      error: { code: -32600 },
    });
    expect(await (await post(rpcUrl, JSON.stringify({ jsonrpc: '2.0', method: 'getHealth' }))).text()).toBe(
      '',
    );
    expect(await answer(JSON.stringify({ ...health, method: 'constructor' }))).toMatchObject({
      error: { code: -32601 },
    });
  });

  test('is for JSON from this machine only', async () => {
    const { rpcUrl, wsUrl } = await startSandbox();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth' });
    expect((await post(rpcUrl, body, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(rpcUrl, body, { origin: 'https://example.com' })).status).toBe(403);
    expect((await post(rpcUrl, body, { origin: 'http://localhost:5173' })).status).toBe(200);
    expect((await fetch(rpcUrl)).status).toBe(405);
    expect((await post(rpcUrl, 'x'.repeat(1_000_001))).status).toBe(413);
    expect(await (await fetch(`${rpcUrl}/health`)).text()).toBe('ok');
    const byOtherName = await new Promise<number | undefined>((resolve) => {
      request(rpcUrl, { method: 'POST', headers: { host: 'sandbox.example.com' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(byOtherName).toBe(403);
    const refused = await new Promise((resolve) => {
      new WebSocket(wsUrl, { origin: 'https://example.com' }).on('error', ({ message }) => resolve(message));
    });
    expect(refused).toContain('403');
  });

  test('outlives callers that reset their connection while it is refused', async () => {
    const { rpcUrl } = await startSandbox();
    const port = Number(new URL(rpcUrl).port);
    const upgrade =
      'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://example.com\r\nConnection: Upgrade\r\n' +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
    for (let n = 0; n < 50; n += 1) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.write(upgrade + 'x'.repeat(100_000));
      if (n % 2 === 0) await once(socket, 'data');
      socket.resetAndDestroy();
    }
    expect(await (await fetch(`${rpcUrl}/health`)).text()).toBe('ok');
  });
});

describe('parameters', () => {
  const key = newKey().text;
  const invalid: [method: string, ...params: unknown[]][] = [
    ['getBalance'],
    ['sandbox_freezeUsdc', key],
    ['sandbox_freezeUsdc', key, 'yes'],
    ['getBalance', 5],
    ['getBalance', 'short'],
    ['getBalance', '0'.repeat(43)],
    ['getBalance', 'x'.repeat(1000)],
    ['getBalance', key, 'confirmed'],
    ['getBalance', key, { commitment: 'soon' }],
    ['getBalance', key, { minContextSlot: -1 }],
    ['getAccountInfo', key, { encoding: 'hex' }],
    ['getAccountInfo', key, { dataSlice: { offset: 0 } }],
    ['getMultipleAccounts', key],
    ['getMultipleAccounts', Array.from({ length: 101 }, () => key)],
    ['getProgramAccounts', key, { filters: [{ memcmp: { offset: 0, bytes: '0OIl' } }] }],
    ['getTokenAccountBalance', key],
    ['getTokenAccountBalance', usdcMint],
    ['getTokenSupply', key],
    ['getTokenAccountsByOwner', key, {}],
    ['getTokenAccountsByOwner', key, { programId: key }],
    ['getSignatureStatuses', [key]],
    ['getSignatureStatuses', Array.from({ length: 257 }, () => 'x')],
    ['getTransaction', key],
    ['getTransaction', 'x', { commitment: 'processed' }],
    ['getSignaturesForAddress', key, { limit: 1001 }],
    ['getSignaturesForAddress', key, { limit: 0 }],
    ['getSignaturesForAddress', key, { commitment: 'processed' }],
    ['getSignaturesForAddress', key, { before: 'nonsense' }],
    ['getBlockTime', 1.5],
    ['getBlocks', 0, 1e9 + 0.5],
    ['isBlockhashValid', 'short'],
    ['getFeeForMessage', '!!!'],
    ['getFeeForMessage', 'AAAA'],
    ['getMinimumBalanceForRentExemption', -1],
    ['requestAirdrop', key, '5'],
    ['sandbox_fundUsdc', key, 5],
    ['sandbox_fundUsdc', key, '-5'],
    ['sandbox_fundUsdc', key, '18446744073709551616'],
    ['sandbox_warp', 1.5],
    ['sendTransaction', 7],
    ['sendTransaction', 'AAAA', { encoding: 'base64' }],
    ['sendTransaction', '%', { encoding: 'base64' }],
    ['sendTransaction', 'AQ==', { encoding: 'hex' }],
    ['sendTransaction', 'A'.repeat(5000), { encoding: 'base64' }],
    ['simulateTransaction', '0OIl'],
  ];

  test('that are invalid are answered with -32602', async () => {
    const sandbox = await startSandbox();
    for (const [method, ...params] of invalid) {
      const refusal = await sandbox.call(method, ...params).then(
        () => 'accepted',
        (error: { code: number; message: string }) => error.code,
      );
      expect([method, params, refusal]).toEqual([method, params, -32602]);
    }
  });

  test('that are valid but name nothing are answered with null', async () => {
    const sandbox = await startSandbox();
    expect(await sandbox.call('getAccountInfo', key)).toMatchObject({ value: null });
    expect(await sandbox.call('getTransaction', '1'.repeat(64))).toBeNull();
    await expect(sandbox.call('getBlockTime', 1e9)).rejects.toMatchObject({ code: -32004 });
    await expect(sandbox.call('requestAirdrop', key, 1e15 * 6)).rejects.toMatchObject({ code: -32603 });
  });
});

test('an account too large for base58 is refused in that encoding, and shown in others', async () => {
  const sandbox = await startSandbox();
  const owner = newKey().text;
  await sandbox.call('sandbox_fundUsdc', owner, '1');
  const shown = (encoding?: string): Promise<unknown> =>
    sandbox.call('getTokenAccountsByOwner', owner, { mint: usdcMint }, { encoding });
  await expect(shown()).rejects.toMatchObject({ code: -32600, message: expect.stringContaining('base 58') });
  await expect(shown('base58')).rejects.toMatchObject({ code: -32600 });
  expect(await shown('base64')).toHaveProperty('value.0.account.data.1', 'base64');
  expect(await shown('base64+zstd')).toHaveProperty('value.0.account.data.1', 'base64+zstd');
  expect(await shown('jsonParsed')).toHaveProperty('value.0.account.data.parsed.type', 'account');
});

test('no bytes that a client sends end the process', async () => {
  const sandbox = await startStandAlone(temporaryDir(), '--confirm-ms', '0');
  const payer = await newPayer(sandbox);
  const { blockhash } = await latestBlockhash(sandbox);
  const { wire } = signed(payer, blockhash, [transfer(payer, newKey().address, 1_000_000), memo('x')]);
  const bytes = Buffer.from(wire, 'base64');
  const edit = fc.record({
    at: fc.nat(bytes.length - 1),
    value: fc.nat(255),
    cut: fc.option(fc.nat(bytes.length)),
  });
  const methods = [
    ['sendTransaction', { encoding: 'base64', skipPreflight: true }],
    ['simulateTransaction', { encoding: 'base64', replaceRecentBlockhash: true }],
  ] as const;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 50 }),
      async (edits) => {
        const damaged = edits.map((list) => {
          const copy = Buffer.from(bytes);
          for (const { at, value } of list) copy[at] = value;
          return copy.subarray(0, list[0]?.cut ?? copy.length).toString('base64');
        });
        await sandbox.batch(
          damaged.flatMap((text) =>
            methods.map(([method, config]): [string, ...unknown[]] => [method, text, config]),
          ),
        );
        expect(sandbox.process.exitCode).toBeNull();
      },
    ),
    { numRuns: 40 },
  );
  expect(await sandbox.call('getHealth')).toBe('ok');
  await sandbox.end('SIGTERM');
});
