// The packages for programs. The page on clients is true: each of its programs runs, or is compiled, exactly as printed. And
// the tests of the Python package, run by Debian's Python against a treasury and a seller.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useFolders } from '../harness/folders.ts';
import { isLab, kinds } from '../harness/kinds.ts';
import { peerFile } from '../harness/programs/peers.ts';
import { openRich, seller, useSeller } from '../harness/chain/seller-treasury.ts';
import { deploy, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { deliver } from '../harness/chain/x402-seller.ts';
import { answerAsModel } from '../http/proxy/model-server.ts';
import { pathThrough } from '../http/proxy/through.ts';
import { installClient, installWheel, pythonMissing, pythonProgram } from './programs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'build/docs/clients.md'), 'utf8');
const blocks = new Map(
  [...page.matchAll(/^```(\w+)(?: ([\w-]+))?\n([^]*?)^```/gm)].map(
    ([, language = '', name = '', text = '']) => [name, { language, text }] as const,
  ),
);
const named = (language: string): string[] =>
  [...blocks].flatMap(([name, block]) => (block.language === language ? [name] : []));

const folder = useFolders();
useSeller();
let treasury: Treasury;
let client: Awaited<ReturnType<typeof installClient>>;
let agent: TestAgent;
let n = 0;
beforeAll(async () => {
  treasury = await openRich({ proxyHoldMs: 2_000 });
  client = await installClient();
  for (const name of ['ai', '@ai-sdk/openai']) client.link(name);
  client.link('openai', await peerFile('openai', 'openai'));
  if (isLab) client.link('@langchain/core', await peerFile('sdks', '@langchain/core'));
}, 600_000);
afterAll(async () => {
  await treasury.close();
  client.remove();
});
const rows = () => [
  ...treasury.host.engine.context.store.transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] }),
];
const environment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  XDG_CONFIG_HOME: folder(),
  TREASURY_DATA: treasury.dataDir,
  TREASURY_AGENT_ID: agent.agentId,
  TREASURY_API_KEY: agent.key,
  SELLER: `${treasury.host.url}${pathThrough(agent.agentId, seller.url)}`,
});
/** @param target the argument that the program is given */
const run = async (command: string, args: readonly string[], env: object = {}): Promise<string> => {
  const settings = { cwd: client.folder, env: { ...environment(), ...env } };
  return (await promisify(execFile)(command, args, settings)).stdout;
};
const write = (name: string, ending: string): string => {
  // A program named urllib.py would be taken for the module.
  const file = join(client.folder, `program-${name}.${ending}`);
  writeFileSync(file, blocks.get(name)?.text ?? '');
  return file;
};
const asModel = (): void => {
  seller.behave = async ({ request, response, settle }) => {
    await settle();
    await answerAsModel(request, response, ['Hel', 'lo']);
  };
};

/** Each line that expects an error is a wrong call. */
const wrongCalls = `
import { createClient, createTreasuryFetch, type TreasuryFetch } from 'agent-treasury-client';
import type { components, paths } from 'agent-treasury-client/v1';

const treasury = createClient<paths>({ url: 'http://127.0.0.1:4402' });
export const like: typeof globalThis.fetch = createTreasuryFetch() satisfies TreasuryFetch;
export const policy = async (): Promise<components['schemas']['Policy']> =>
  (await treasury.get('/v1/agents/{agentId}/policy', { path: { agentId: 'scout' } })).data.policy;
export const statement = async () => {
  const { data } = await treasury.get('/v1/statement', { query: { from: '2030-01-01', to: '2030-02-01' } });
  return data instanceof Response ? data.text() : data;
};
export const wrong = () => [
  // @ts-expect-error an amount is text
  treasury.post('/v1/agents/{agentId}/pay', { body: { service: 'a', amount: 1, currency: 'USDC' } }),
  // @ts-expect-error a payment has a body
  treasury.post('/v1/agents/{agentId}/pay'),
  // @ts-expect-error a withdrawal needs its key
  treasury.post('/v1/treasury/withdraw', { body: { asset: 'USDC', to: 'a', amount: '1' } }),
  // @ts-expect-error only GET reads a policy preview's path
  treasury.get('/v1/agents/{agentId}/pay'),
  // @ts-expect-error there is no such path
  treasury.get('/v1/nowhere'),
  // @ts-expect-error a payment is named
  treasury.get('/v1/agents/{agentId}/payments/{paymentId}', { path: {} }),
];
`;

const missed = pythonMissing();

describe('the page on clients', () => {
  beforeEach(async () => {
    n += 1;
    agent = await deploy(treasury.client, `reader-${n}`, { allocate: '1.00' });
  });

  it('is the README of a package that brings nothing else', () => {
    expect(client.packages).toEqual(['agent-treasury-client']);
    const of = (name: string): string => readFileSync(join(client.installed, name), 'utf8');
    expect(of('README.md')).toBe(page);
    const imported = [...of('index.js').matchAll(/^import .*? from "([^"]+)";$/gm)].map(
      ([, from = '']) => from,
    );
    expect(imported.length).toBeGreaterThan(3);
    expect(imported.filter((from) => !from.startsWith('node:'))).toEqual([]);
    expect(of('index.js')).not.toContain(root);
  });

  it('has a name for each of its programs', () => {
    expect(page.match(/^```\w/gm)).toHaveLength(blocks.size);
    expect([...blocks.keys()]).not.toContain('');
  });

  describe.each(kinds(named('js')))('the program %s', (name) => {
    it('buys once', async () => {
      const isModel = !['fetch', 'langchain'].includes(name);
      if (isModel) asModel();
      const said = await run(process.execPath, [
        write(name, 'mjs'),
        `${seller.url}${isModel ? '/v1' : '/data'}`,
      ]);
      expect(said).toContain(isModel ? 'Hello' : '{"sun":true}');
      expect(rows()).toHaveLength(1);
    });
  });

  it('act for the agent of a linked machine where the environment names none', async () => {
    const { TREASURY_AGENT_ID: agentId, TREASURY_API_KEY: apiKey, ...env } = environment();
    const config = join(env['XDG_CONFIG_HOME'] ?? '', 'agent-treasury');
    const linked = { agentId, apiKey, walletAddress: agent.wallet, linkedAt: new Date().toISOString() };
    mkdirSync(config);
    writeFileSync(join(config, 'agent.json'), JSON.stringify(linked), { mode: 0o600 });
    const program = [write('fetch', 'mjs'), `${seller.url}/data`];
    const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: client.folder, env });
    expect(stdout).toContain('{"sun":true}');
    expect(rows()).toHaveLength(1);
  });

  describe.each(kinds(['fetch', 'langchain']))('the program %s', (name) => {
    it('says the next step when it is refused', async () => {
      await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, { maxPerPayment: '0.001' });
      const { stdout, stderr } = await promisify(execFile)(
        process.execPath,
        [write(name, 'mjs'), `${seller.url}/data`],
        { cwd: client.folder, env: environment() },
      );
      expect(stdout + stderr).toContain('Ask the owner for a higher maxPerPayment');
    });
  });

  describe('the typed programs', () => {
    it('compile under strict, as wrong calls do not', async () => {
      for (const name of ['@types', 'undici-types']) client.link(name);
      const files = named('ts').map((name) => write(name, 'ts'));
      const wrong = join(client.folder, 'wrong.ts');
      writeFileSync(wrong, wrongCalls);
      const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'esnext', '--types', 'node'];
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      const compiled = run(process.execPath, [tsc, ...flags, ...files, wrong]);
      expect(await compiled.catch(({ stdout }: { stdout: string }) => stdout)).toBe('');
    });

    it('pay', async () => {
      const said = await run(process.execPath, [write('api', 'mts')]);
      expect(said).toMatch(/^1\.00 v1\./);
      expect(rows()).toHaveLength(1);
    });
  });

  describe('the Python programs', () => {
    let wheel = '';
    beforeAll(async () => {
      wheel = await installWheel();
    });
    it.each(kinds(named('python')))('%s buys once', async (name) => {
      const { command, args, env = {} } = pythonProgram(wheel, write(name, 'py'), `${seller.url}/data`);
      expect(await run(command, args, env)).toContain('{"sun":true}');
      expect(rows()).toHaveLength(1);
    });
    beforeEach(({ skip }) => skip(missed !== null, missed ?? undefined));
  });
});

const file = new URL('test_agent_treasury.py', import.meta.url);
const names = [...readFileSync(file, 'utf8').matchAll(/def (test_\w+)/g)].map(([, name = '']) => name);

describe('the Python package', () => {
  let said = '';
  beforeAll(async () => {
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
    [said] = await Promise.all([textOf(child.stderr), once(child, 'exit')]);
  });

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
