// Secrets stay where they belong: after the whole life of a treasury at debug level, killed once, every byte that it
// left is searched for every secret in every encoding.
import { mnemonicToEntropy, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import bs58 from 'bs58';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../server/log.ts';
import { deriveKey } from '../server/vault/keys.ts';
import { createVault } from '../server/vault/vault.ts';
import {
  deploy,
  instantly,
  removeFolder,
  spawnTreasury,
  temporaryFolder,
  until,
  type Process,
} from './harness/treasury.ts';

const passphrase = 'canary of the environment, 4402';
const guess = 'canary of a wrong passphrase, 4402';
const args = ['--log-level', 'debug', ...instantly];

const folder = temporaryFolder();
const dataDir = join(folder, 'new', 'data');
afterAll(() => removeFolder(folder));

interface Secret {
  name: string;
  bytes: Buffer;
  /** The files below the data folder that may hold it. */
  home: readonly string[];
}
const secrets: Secret[] = [];
const keep = (name: string, value: string | Uint8Array, ...home: string[]): void => {
  secrets.push({ name, bytes: Buffer.from(value), home });
};
/** A bearer token and the 256 bits behind its prefix. */
const keepToken = (name: string, token: string, ...home: string[]): void => {
  keep(name, token, ...home);
  keep(`${name}, its bits`, Buffer.from(token.slice(4), 'base64url'), ...home);
};

interface Place {
  name: string;
  bytes: Buffer;
}
const places: Place[] = [];
const wrongModes: string[] = [];
let files = 0;

const walk = (path: string): void => {
  const stat = lstatSync(path);
  const mode = stat.mode & 0o777;
  const name = relative(dataDir, path);
  if (mode !== (stat.isDirectory() ? 0o700 : 0o600)) wrongModes.push(`${name} ${mode.toString(8)}`);
  if (stat.isDirectory()) for (const entry of readdirSync(path)) walk(join(path, entry));
  else {
    files += 1;
    places.push({ name, bytes: readFileSync(path) });
  }
};

const proc = (pid: number, what: string): Place[] => {
  const path = `/proc/${pid}/${what}`;
  return existsSync(path) ? [{ name: what, bytes: readFileSync(path) }] : [];
};

const outputs: Buffer[] = [];
const start = async (): Promise<Process> => {
  const treasury = await spawnTreasury(dataDir, args, { TREASURY_PASSPHRASE: passphrase });
  treasury.child.stdout?.on('data', (chunk: Buffer) => outputs.push(chunk));
  keepToken('owner cookie', readFileSync(treasury.ready.cookieFile, 'utf8'), 'owner.cookie');
  return treasury;
};
const look = ({ ready }: Process): void => {
  walk(dataDir);
  places.push(...proc(ready.pid, 'cmdline'), ...proc(ready.pid, 'environ'));
};

beforeAll(async () => {
  const first = await start();
  const { client } = first;
  const agent = await deploy(client, 'canary', { policy: { approveAbove: '0.5' } });
  keepToken('first key', agent.key);
  const added = (await client.post('/v1/agents/canary/keys', { label: 'second' })).body;
  keepToken('second key', String(added['apiKey']));
  const rotated = (await client.post(`/v1/agents/canary/keys/${added['keyId']}/rotate`)).body;
  keepToken('rotated key', String(rotated['apiKey']));
  expect((await agent.pay('0.01', { key: 'one' })).status).toBe(200);
  const asked = await agent.client.post('/v1/agents/deploy', {
    agentId: 'child',
    dailyBudget: '1',
    maxPerPayment: '1',
  });
  const { body: shown } = await client.get(`/v1/approvals/${asked.body['approvalId']}`);
  const granted = await client.post(`/v1/approvals/${shown['approvalId']}/grant`, { hash: shown['hash'] });
  keepToken('key of a child', String(granted.body['created'].apiKey));

  const nobody = { token: null, owner: null };
  const { body: link } = await client.post('/v1/link-sessions', { machine: 'a canary' }, nobody);
  keepToken('link token', String(link['token']));
  keep('poll secret', String(link['pollSecret']));
  keep('poll secret, its bits', Buffer.from(String(link['pollSecret']), 'base64url'));
  const linkPath = `/v1/link-sessions/${link['token']}`;
  await client.post(`${linkPath}/wallet`, {}, nobody);
  await client.post(`${linkPath}/complete`, { agentId: 'linked' });
  const { body: linked } = await client.get(linkPath, { token: String(link['pollSecret']) });
  keepToken('key of a linked machine', String(linked['apiKey']));
  const nowhere = 'http://127.0.0.1:9';
  keep('key at a provider', 'sk-canary-of-a-provider-4402');
  await client.post('/v1/image-providers/openai', {
    apiKey: 'sk-canary-of-a-provider-4402',
    baseUrl: nowhere,
  });
  const supplier = { kind: 'openai-compatible', name: 'local', baseUrl: nowhere, allowPrivate: true };
  keep('key at a supplier of models', 'sk-canary-of-a-supplier-4402');
  await client.post('/v1/model-suppliers', { ...supplier, apiKey: 'sk-canary-of-a-supplier-4402' });
  const prices = { inputPerMillion: '1', outputPerMillion: '1' };
  await client.post('/v1/language-models', { supplierId: 'local', modelId: 'm', ...prices });
  await client.post('/v1/agents/canary/policy', { allowedModels: ['m'] });
  keep('prompt', 'canary of a prompt, 4402');
  const messages = [{ role: 'user', content: 'canary of a prompt, 4402' }];
  const path = '/v1/agents/canary/llm/openai/v1/chat/completions';
  const unanswered = await agent.client.post(path, { model: 'm', max_tokens: 5, messages });
  expect(unanswered.body['error']).toMatchObject({ code: 'not_available' });
  keep('password of the mail server', 'canary of the mail server, 4402');
  await client.post('/v1/sign-in/mail-server', {
    mailServer: {
      host: '127.0.0.1',
      port: 9,
      security: 'none',
      user: 'u',
      from: 'a@b.example',
      password: 'canary of the mail server, 4402',
    },
  });
  await client.post('/v1/sign-in/mail-server/test', { to: 'a@b.example' });
  const { models } = (await client.get('/v1/models/settings')).body;
  const model = models.find((one: { providerId: string }) => one.providerId === 'openai');
  const picture = { prompt: 'a lighthouse', modelId: model.id, resolution: '1k' };
  const { body: task } = await agent.client.post('/v1/agents/canary/generate', picture);
  await until('the failure', async () => {
    const { body } = await agent.client.get(`/v1/agents/canary/tasks/${task['taskId']}`);
    return body['status'] === 'failed';
  });
  const other = models.find((one: { providerId: string }) => one.providerId !== 'openai');
  const { body: drawn } = await agent.client.post('/v1/agents/canary/generate', {
    ...picture,
    modelId: other.id,
  });
  await until('the picture', async () => {
    const { body } = await agent.client.get(`/v1/agents/canary/tasks/${drawn['taskId']}`);
    return body['status'] === 'success';
  });

  // Errors of every kind, with secrets where they should not be sent.
  const misplaced = [
    client.get(`/v1/agents/${agent.key}/balance`),
    client.get(`/v1/${agent.key}`, { token: null }),
    client.get('/v1/agents/canary/balance', { token: `${agent.key}x` }),
    client.get(`/v1/agents/canary/spend-history?limit=${agent.key}`),
    client.post('/v1/agents/canary/pay', { [agent.key]: agent.key }),
    client.post('/v1/agents/canary/rename', { displayName: 7, note: agent.key }),
    client.post('/v1/unlock', { passphrase: guess }),
    client.post(`${linkPath}/complete`, { agentId: 'again' }),
    client.post(`${linkPath}/email`, { email: String(link['pollSecret']) }, nobody),
    client.call('PUT', linkPath),
    client.post('/v1/image-providers/openai', { apiKey: 5, baseUrl: agent.key }),
    client.post('/v1/approvals/none/grant', { hash: agent.key }),
    client.post(`/v1/treasury/withdraw`, { asset: 'USDC', to: agent.key, amount: '1' }, { key: 'w' }),
    agent.pay('99'),
    agent.pay('0.02', { prefer: 'wait=0' }),
  ];
  for (const answer of await Promise.all(misplaced)) expect(answer.status).not.toBe(500);
  keep('a wrong passphrase', guess);
  look(first);
  await first.kill('SIGKILL');
  walk(dataDir);
  outputs.push(Buffer.from(first.stderr()));

  const second = await start();
  const again = second.client.as(agent.key);
  const pay = { service: 'sandbox-weather', amount: '0.03', currency: 'USDC' };
  expect((await again.post('/v1/agents/canary/pay', pay)).status).toBe(200);
  await second.client.post('/v1/lock');
  expect((await again.post('/v1/agents/canary/pay', pay)).status).toBe(503);
  await second.client.post('/v1/unlock');
  await until('the payment', async () => (await again.post('/v1/agents/canary/pay', pay)).status === 200);
  await second.client.post('/v1/agents/child/archive');
  look(second);
  const ended = once(second.child, 'exit');
  await second.kill('SIGTERM');
  await ended.catch(() => {});
  walk(dataDir);
  outputs.push(Buffer.from(second.stderr()));
  places.push({ name: 'standard output and error', bytes: Buffer.concat(outputs) });

  const vault = createVault({
    dataDir: join(dataDir, 'sandbox'),
    network: 'sandbox',
    log: createLog('silent'),
  });
  const phrase = await vault.exportPhrase();
  keep('recovery phrase', phrase);
  keep('four words of it', phrase.split(' ').slice(0, 4).join(' '));
  keep('root', mnemonicToEntropy(phrase, wordlist));
  const seed = mnemonicToSeedSync(phrase);
  keep('seed', seed);
  for (const index of [0, 1, 2])
    keep(`key ${index}`, Buffer.from(deriveKey(seed, index).export({ format: 'jwk' }).d ?? '', 'base64url'));
  keep('passphrase', passphrase, 'environ');
});

/** Base64 of the bytes at each of three offsets in a longer text, without digits that depend on their neighbours. */
const base64Cores = (bytes: Buffer): string[] =>
  [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replaceAll('=', '');
    return text.slice(offset === 0 ? 0 : offset + 1, -1);
  });

const spellings = (bytes: Buffer): Buffer[] => {
  const base64 = base64Cores(bytes);
  const hex = bytes.toString('hex');
  const texts = [
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    ...base64.map((text) => encodeURIComponent(text)),
    bs58.encode(bytes),
    encodeURIComponent(bytes.toString('latin1')),
    JSON.stringify([...bytes]).slice(1, -1),
    [...bytes].join(', '),
  ];
  return [bytes, Buffer.from(bytes.toString('latin1'), 'utf16le'), ...texts.map((text) => Buffer.from(text))];
};

const hits = (secret: Secret, within: readonly Place[]): string[] => {
  const wanted = spellings(secret.bytes);
  return within
    .filter(({ name }) => !secret.home.includes(name))
    .filter(({ bytes }) => wanted.some((spelling) => bytes.includes(spelling)))
    .map(({ name }) => `${secret.name} in ${name}`);
};

const isDatabase = (line: string): boolean => /\.db(-wal|-shm)? \d+$/.test(line);

describe.skipIf(process.platform === 'win32')(
  'after a life at debug level with a SIGKILL in it (modes and signals: POSIX alone)',
  () => {
    it('no file, output, argument list or environment holds a secret that does not belong there', () => {
      expect(secrets.length).toBeGreaterThan(15);
      expect(files).toBeGreaterThan(20);
      expect(secrets.flatMap((secret) => hits(secret, places))).toEqual([]);
    });

    it('a secret is found where it belongs, so that the search is known to work', () => {
      const cookies = secrets
        .filter(({ name }) => name === 'owner cookie')
        .map((one) => ({ ...one, home: [] }));
      expect(cookies.flatMap((one) => hits(one, places))).toContain('owner cookie in owner.cookie');
      for (const { bytes } of secrets)
        for (const spelling of spellings(bytes)) {
          const planted = {
            name: 'a log',
            bytes: Buffer.concat([Buffer.from('{"a":"x'), spelling, Buffer.from('"}')]),
          };
          expect(hits({ name: 'planted', bytes, home: [] }, [planted])).toHaveLength(1);
        }
      const inLonger = Buffer.from(
        Buffer.concat([Buffer.from('ab'), secrets[0]?.bytes ?? Buffer.alloc(0)]).toString('base64'),
      );
      expect(
        hits({ name: 'planted', bytes: secrets[0]?.bytes ?? Buffer.alloc(0), home: [] }, [
          { name: 'x', bytes: inLonger },
        ]),
      ).toHaveLength(1);
    });

    it('every file is 0600 and every folder 0700, from the first start on', () => {
      expect(wrongModes.filter((line) => !isDatabase(line))).toEqual([]);
    });

    it('every database is 0600, too', () => {
      expect(wrongModes.filter(isDatabase)).toEqual([]);
    });

    it('the owner’s cookie has gone with the host that wrote it', () => {
      expect(existsSync(join(dataDir, 'owner.cookie'))).toBe(false);
      expect(existsSync(join(dataDir, 'runtime', 'endpoint.json'))).toBe(false);
    });
  },
);
