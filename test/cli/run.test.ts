// `treasury run`: a program of its own, with the treasury's addresses in place of its providers'.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programOf } from '../harness/programs/programs.ts';
import { until } from '../harness/treasury.ts';
import { chat, json, openSupplier, usageOf, type Supplier } from '../models/supplier.ts';
import { home, scout, treasury, useTreasury } from './cli-treasury.ts';

useTreasury();
let supplier: Supplier;
beforeAll(async () => {
  supplier = await openSupplier();
  const owner = treasury.client;
  const body = { kind: 'openai-compatible', name: 'Local', baseUrl: supplier.url, allowPrivate: true };
  const { supplierId } = (await owner.post('/v1/model-suppliers', body)).body;
  const prices = { inputPerMillion: '1', outputPerMillion: '1', maxOutput: 100 };
  await owner.post('/v1/language-models', { supplierId, modelId: 'm', ...prices });
  await owner.post('/v1/agents/scout/policy', { allowedModels: ['m'] });
  supplier.answer = (_, response) => json(response, 200, chat('Hi', usageOf(10, 1), 'm'));
});
afterAll(() => supplier.close());

interface Ended {
  code: unknown;
  stdout: string;
  stderr: string;
}
const start = (words: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  spawn(process.execPath, [programOf('server/cli/main.ts'), '--data', treasury.dataDir, 'run', ...words], {
    env: { PATH: process.env['PATH'], HOME: home, ...env },
  });
const run = async (words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> => {
  const child = start(words, env);
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (said.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (said.stderr += String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...said };
};
const node = (script: string): string[] => ['--', process.execPath, '-e', script];
const shows = node('console.log(JSON.stringify(process.env))');
const asks = node(`fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'm', messages: [] }) }).then((answer) => process.exit(answer.status === 200 ? 7 : 1))`);
const keys = async (): Promise<{ label: string; revokedAt: string | null }[]> =>
  (await treasury.client.get('/v1/agents/scout/keys')).body['keys'].filter(({ label }: { label: string }) =>
    label.startsWith('treasury run'),
  );

describe('treasury run', () => {
  it('gives the program the treasury’s addresses and a key that ends with it, and nothing of its providers', async () => {
    const own = {
      OPENAI_ORG_ID: 'org',
      ANTHROPIC_API_KEY: 'sk-ant',
      GEMINI_API_KEY: 'g',
      CLAUDE_CODE_OAUTH_TOKEN: 'o',
      TREASURY_PASSPHRASE: 'the owner’s',
    };
    const { code, stdout, stderr } = await run(['--agent', 'scout', ...shows], {
      ...own,
      KEPT: 'yes',
      TREASURY_URL: 'https://elsewhere.example.com',
    });
    const env = JSON.parse(stdout) as Record<string, string>;
    const base = `${treasury.host.url}/v1/agents/scout/llm`;
    expect(env).toMatchObject({
      OPENAI_BASE_URL: `${base}/openai/v1`,
      ANTHROPIC_BASE_URL: `${base}/anthropic`,
      TREASURY_AGENT_ID: 'scout',
      TREASURY_URL: treasury.host.url,
      KEPT: 'yes',
    });
    expect(new Set([env['OPENAI_API_KEY'], env['ANTHROPIC_AUTH_TOKEN'], env['TREASURY_API_KEY']]).size).toBe(
      1,
    );
    for (const name of Object.keys(own)) expect(env).not.toHaveProperty(name);
    expect([code, stderr]).toEqual([0, expect.stringContaining('sent no request to the treasury')]);
    expect(await keys()).toMatchObject([{ label: 'treasury run node', revokedAt: expect.any(String) }]);
  });

  it('passes on the exit code, and says nothing where the program used the treasury', async () => {
    expect(await run(['--agent', 'scout', ...asks])).toEqual({ code: 7, stdout: '', stderr: '' });
    expect(supplier.asked).toHaveLength(1);
  });

  it('acts as the agent of the environment, and then makes no key', async () => {
    const before = (await keys()).length;
    const agent = { TREASURY_AGENT_ID: 'scout', TREASURY_API_KEY: scout.key };
    const { stdout } = await run(shows, agent);
    expect(JSON.parse(stdout)).toMatchObject({ OPENAI_API_KEY: scout.key });
    expect((await keys()).length).toBe(before);
  });

  it('passes signals on, and ends as the program does', async () => {
    const child = start([
      '--agent',
      'scout',
      ...node(`process.on('SIGTERM', () => process.exit(9)); console.log('up'); setInterval(() => {}, 1e6)`),
    ]);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([9, null]);
    const other = start(['--agent', 'scout', ...node(`console.log('up'); setInterval(() => {}, 1e6)`)]);
    await once(other.stdout, 'data');
    other.kill('SIGHUP');
    expect(await once(other, 'close')).toEqual([129, null]);
    await until('the keys to end', async () => (await keys()).every(({ revokedAt }) => revokedAt !== null));
  });

  it('ends its key whatever signal comes while it ends', async () => {
    const child = start(['--agent', 'scout', ...node(`console.log('up'); setInterval(() => {}, 1e6)`)]);
    await once(child.stdout, 'data');
    const often = setInterval(() => child.kill('SIGINT'), 2);
    // The last one may meet a process that has done all, and is just ending.
    await once(child, 'close');
    clearInterval(often);
    expect((await keys()).every(({ revokedAt }) => revokedAt !== null)).toBe(true);
  });

  it('leaves a program alone whose key does not work, or that has another treasury', async () => {
    const agent = { TREASURY_AGENT_ID: 'scout', TREASURY_API_KEY: 'atk_unknown' };
    const ends = node('setTimeout(() => process.exit(5), 500)');
    expect(await run(ends, agent)).toEqual({ code: 5, stdout: '', stderr: '' });
    const far = { TREASURY_URL: 'https://elsewhere.example.com', TREASURY_OWNER: 'another' };
    const { stdout } = await run(shows, { ...agent, ...far });
    expect(JSON.parse(stdout)).toMatchObject({
      OPENAI_BASE_URL: 'https://elsewhere.example.com/v1/agents/scout/llm/openai/v1',
      ...far,
    });
  });

  it('gives codex and aider what they read, and names a program that is not there', async () => {
    const bin = join(home, 'bin');
    mkdirSync(bin, { recursive: true });
    for (const name of ['codex', 'aider']) {
      writeFileSync(join(bin, name), '#!/bin/sh\necho "$@"; echo "$OPENAI_API_BASE $ANTHROPIC_API_BASE"\n');
      chmodSync(join(bin, name), 0o755);
    }
    const base = `${treasury.host.url}/v1/agents/scout/llm`;
    const codex = await run(['--agent', 'scout', '--', join(bin, 'codex'), 'exec', 'fix it']);
    expect(codex.stdout).toContain(`-c model_providers.treasury.base_url="${base}/openai/v1"`);
    expect(codex.stdout).toMatch(/ exec fix it\n/);
    const aider = await run(['--agent', 'scout', '--', join(bin, 'aider')]);
    expect(aider.stdout).toContain(`${base}/openai/v1 ${base}/anthropic`);
    const none = await run(['--agent', 'scout', '--', 'no-such-program']);
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringContaining('no-such-program cannot be started'),
    ]);
    expect(none.stderr).not.toContain('sent no request');
    const empty = await run(['--agent', 'scout', '--', '']);
    expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining(' cannot be started')]);
    expect((await keys()).every(({ revokedAt }) => revokedAt !== null)).toBe(true);
  });
});
