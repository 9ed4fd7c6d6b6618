// The owner's suppliers of language models: their ids, their keys, and what models cost.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { createLanguageModels } from '../../server/catalog/language-models.ts';
import { modelServiceId, priceList } from '../../server/contract/models/suppliers.ts';
import type { AppError } from '../../server/errors.ts';
import { createPriceList } from '../../server/providers/model-prices.ts';
import { useFolders } from '../harness/folders.ts';
import { openTreasury, until } from '../harness/treasury.ts';
import { delta, done, json, stream, usageChunk, usageOf } from '../models/supplier.ts';
import { client, payer, treasury, useTreasury } from './api-treasury.ts';

const folder = useFolders();
const logFile = join(folder(), 'log');
useTreasury(() => ({ logFile }));

const key = 'sk-canary-of-a-supplier-4402';
const add = (body: object) => client.post('/v1/model-suppliers', body);
const set = (id: string, body: object) => client.post(`/v1/model-suppliers/${id}`, body);
const setModel = (body: object) => client.post('/v1/language-models', body);
const suppliers = async () => (await client.get('/v1/model-suppliers')).body['suppliers'];
const models = () => treasury.host.engine.context.store.languageModels;
const found = async (supplierId: string, modelId: string) => {
  const { body } = await client.get('/v1/language-models');
  return body['models'].find(
    (one: { supplierId: string; modelId: string }) =>
      one.supplierId === supplierId && one.modelId === modelId,
  );
};
const local = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1', allowPrivate: true };

it('an id comes from the name, and is never given again', async () => {
  expect((await add({ kind: 'openai', name: 'Open AI (work)', apiKey: key })).body).toEqual({
    supplierId: 'open-ai-work',
    enabled: true,
  });
  expect((await add({ kind: 'openai', name: 'Open AI: work' })).body['supplierId']).toBe('open-ai-work-2');
  await client.call('DELETE', '/v1/model-suppliers/open-ai-work-2');
  expect((await add({ kind: 'openai', name: 'open-ai-work' })).body['supplierId']).toBe('open-ai-work-3');
  expect((await add({ kind: 'google', name: '—' })).body['supplierId']).toBe('google');
  // It has no payee whom one could trust.
  expect((await client.get('/v1/services/llm:google')).body).toMatchObject({ mayTrust: false });
  expect((await set('open-ai-work-2', { enabled: true })).status).toBe(404);
  await client.call('DELETE', '/v1/model-suppliers/open-ai-work-3');
});

it('a key goes into the vault, for one address, and is gone with its supplier', async () => {
  const [first] = await suppliers();
  expect(first).toMatchObject({ supplierId: 'open-ai-work', hasKey: true, factor: '1.00' });
  const elsewhere = { baseUrl: 'https://eu.api.openai.com/v1/' };
  const moved = await set('open-ai-work', elsewhere);
  expect([moved.status, moved.body['details'].fields]).toEqual([
    400,
    { apiKey: 'enter it again with another baseUrl' },
  ]);
  expect((await set('open-ai-work', { ...elsewhere, apiKey: `${key}-eu` })).body).toMatchObject({
    baseUrl: 'https://eu.api.openai.com/v1',
    hasKey: true,
  });
  const { vault } = treasury.host;
  const kept = (): string => String(vault.getSecret('model-supplier-open-ai-work'));
  expect(kept()).toBe(`https://eu.api.openai.com/v1\n${key}-eu`);
  expect((await set('open-ai-work', { apiKey: null })).body['hasKey']).toBe(false);
  expect(kept()).toBe('');
  await set('open-ai-work', { apiKey: key });
  const gone = await client.call('DELETE', '/v1/model-suppliers/open-ai-work');
  expect([gone.body, kept()]).toEqual([{ supplierId: 'open-ai-work', removed: true }, '']);
});

it('a key is in no reply, event, log or database', async () => {
  const { body } = await add({ kind: 'openrouter', name: 'Router', apiKey: key });
  await set(String(body['supplierId']), { name: 'The router' });
  const said = [
    await suppliers(),
    (await client.get('/v1/dashboard')).body,
    (await found('router', 'x')) ?? '',
  ];
  expect(JSON.stringify(said)).not.toContain(key);
  const below = (path: string): string[] =>
    readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? below(join(path, entry.name)) : entry.isFile() ? [join(path, entry.name)] : [],
    );
  const files = [...below(treasury.dataDir), logFile];
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => readFileSync(file).includes(key))).toEqual([]);
});

it.each([
  [{ kind: 'openai-compatible', name: 'Mine' }, 'baseUrl'],
  [{ ...local, name: 'Mine', allowPrivate: false }, 'baseUrl'],
  [{ ...local, name: 'Mine', baseUrl: 'http://93.184.215.14/v1' }, 'baseUrl'],
  [{ ...local, name: 'Mine', baseUrl: 'https://me:secret@example.com/v1' }, 'baseUrl'],
  [{ kind: 'openai', name: 'Mine', baseUrl: 'https://10.0.0.1/v1' }, 'baseUrl'],
  [{ kind: 'openai', name: 'Mine', allowPrivate: true }, 'allowPrivate'],
  [{ kind: 'openai', name: 'Mine', apiKey: 'short' }, 'apiKey'],
])('refuses %j, and names %s', async (body, field) => {
  const refused = await add(body);
  expect([refused.status, Object.keys(refused.body['details'].fields)]).toEqual([400, [field]]);
});

it('is no supplier of its own', async () => {
  const refused = await add({ ...local, name: 'Me', baseUrl: `${treasury.host.url}/v1` });
  expect(refused.body['details'].fields).toEqual({ baseUrl: 'is the treasury itself' });
});

it('a supplier is a service that limits name, and that nobody pays', async () => {
  await add({ ...local, name: 'Ollama' });
  const id = modelServiceId('ollama');
  expect((await client.get(`/v1/services/search?q=Ollama`)).body['results'][0]).toMatchObject({
    id,
    payees: [],
  });
  const paid = await payer.client.post('/v1/agents/payer/pay', {
    service: id,
    amount: '0.01',
    currency: 'USDC',
  });
  expect([paid.status, Object.keys(paid.body['details'].fields)]).toEqual([400, ['service']]);
  expect((await client.call('DELETE', `/v1/services/${encodeURIComponent(id)}`)).status).toBe(409);
  await client.call('DELETE', '/v1/model-suppliers/ollama');
  expect((await client.get(`/v1/services/search?q=Ollama`)).body['total']).toBe(0);
});

it('a price is the list’s for exactly this id, or the owner’s', async () => {
  await add({ kind: 'anthropic', name: 'Claude' });
  expect(await found('claude', 'claude-sonnet-4-5')).toMatchObject({
    inputPerMillion: '3.00',
    cacheWritePerMillion: '3.75',
    tiers: [{ above: 200_000, inputPerMillion: '6.00', outputPerMillion: '22.50' }],
    priceSource: 'list',
    window: 200_000,
  });
  const dated = { supplierId: 'claude', modelId: 'claude-sonnet-4-5-20250929' };
  expect((await setModel({ ...dated, maxOutput: 8_192 })).body).toMatchObject({
    inputPerMillion: null,
    priceSource: null,
    maxOutput: 8_192,
  });
  expect((await setModel({ ...dated, inputPerMillion: '3' })).body['details'].fields).toEqual({
    outputPerMillion: 'a price has both: for input and for output',
  });
  expect((await setModel({ ...dated, inputPerMillion: '0', outputPerMillion: '0' })).body).toMatchObject({
    inputPerMillion: '0.00',
    priceSource: 'owner',
    maxOutput: 8_192,
  });
  const taken = await setModel({ ...dated, inputPerMillion: null, outputPerMillion: null });
  expect(taken.body).toMatchObject({ outputPerMillion: null, priceSource: null, pricedAt: null });
  expect((await set('claude', { factor: '1.1' })).body['factor']).toBe('1.10');
  expect((await found('claude', 'claude-sonnet-4-5')).inputPerMillion).toBe('3.30');
  expect((await setModel({ supplierId: 'nobody', modelId: 'x' })).status).toBe(404);
});

it('one supplier is the default for an id', async () => {
  await add({ ...local, name: 'One' });
  await add({ ...local, name: 'Two' });
  const own = { modelId: 'llama', isDefault: true };
  await setModel({ ...own, supplierId: 'one' });
  await setModel({ ...own, supplierId: 'two' });
  const defaults = models()
    .list()
    .filter(({ isDefault }) => isDefault);
  expect(defaults.map(({ supplierId }) => supplierId)).toEqual(['two']);
});

it('a name leads to one model of one supplier, or says why not', async () => {
  const { engine, vault } = treasury.host;
  const { store } = engine.context;
  const list = createLanguageModels({
    store,
    vault,
    now: Date.now,
    loadPrices: () => Promise.resolve(createPriceList()),
  });
  await list.ready();
  const price = { inputPerMillion: '1', outputPerMillion: '2' };
  for (const supplierId of ['one', 'two']) await setModel({ supplierId, modelId: 'a/b', ...price });
  const find = (wire: 'openai' | 'anthropic', name: string): unknown => {
    try {
      const { supplier, model } = list.find(wire, name);
      return [supplier.id, model.id];
    } catch (error) {
      return (error as AppError).code;
    }
  };
  expect(find('openai', 'a/b')).toBe('model_ambiguous');
  expect(find('openai', 'two/a/b')).toEqual(['two', 'a/b']);
  await setModel({ supplierId: 'two', modelId: 'a/b', isDefault: true });
  expect(find('openai', 'a/b')).toEqual(['two', 'a/b']);
  await setModel({ supplierId: 'two', modelId: 'a/b', enabled: false });
  expect(find('openai', 'a/b')).toEqual(['one', 'a/b']);
  expect(find('openai', 'two/a/b')).toBe('not_found');
  await set('one', { enabled: false });
  expect(find('openai', 'one/a/b')).toBe('model_unpriced');
  expect(find('anthropic', 'claude-sonnet-4-5')).toEqual(['claude', 'claude-sonnet-4-5']);
  expect(find('anthropic', 'claude/claude-sonnet-4-5')).toEqual(['claude', 'claude-sonnet-4-5']);
  expect(find('anthropic', 'claude-sonnet-4-5-20250929')).toBe('model_unpriced');
  expect(find('openai', 'claude-sonnet-4-5')).toBe('model_unpriced');
  await client.call('DELETE', '/v1/model-suppliers/claude');
  expect(find('anthropic', 'claude-sonnet-4-5')).toBe('not_found');

  // As after an older copy of the records.
  await set('router', { apiKey: key });
  expect(list.keyOf('router')).toBe(key);
  const row = store.modelSuppliers.list().find(({ id }) => id === 'router');
  if (row !== undefined)
    store.atomically(() => store.modelSuppliers.set({ ...row, baseUrl: 'https://elsewhere.example/v1' }));
  expect(() => list.keyOf('router')).toThrow('Enter the key of The router again');
});

const reported = async (name: string) => {
  const { body } = await client.get('/v1/model-suppliers');
  const all = body['suppliers'] as { name: string; reportsUsage: boolean | null }[];
  return all.find((one) => one.name === name)?.reportsUsage;
};

it('a server of one’s own is tried once for its usage, and not while it is off or everything is stopped', async () => {
  const asked: unknown[] = [];
  let hasUsage = true;
  let beforeList: (() => Promise<unknown>) | null = null;
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      await beforeList?.();
      return json(response, 200, { object: 'list', data: [{ id: 'llama4' }] });
    }
    asked.push(JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString()));
    stream(response).write(delta('Hi'));
    response.end(`${hasUsage ? usageChunk(usageOf(9, 1)) : ''}${done}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const tried = { ...local, baseUrl, allowPrivate: true };
    const isKnown = (name: string) => async () => ((await reported(name)) ?? null) !== null;
    await add({ ...tried, name: 'Exact' });
    await until('the trial', isKnown('Exact'));
    hasUsage = false;
    await add({ ...tried, name: 'Silent' });
    await until('the other trial', isKnown('Silent'));
    expect([await reported('Exact'), await reported('Silent')]).toEqual([true, false]);
    // Another address is another server.
    hasUsage = true;
    await set('silent', { baseUrl: `${baseUrl}/other` });
    await until('the trial at its new address', async () => (await reported('Silent')) === true);
    const trial = { model: 'llama4', max_tokens: 1, stream: true, stream_options: { include_usage: true } };
    expect(asked).toMatchObject([trial, trial, trial]);
    await client.post('/v1/freeze');
    await add({ ...tried, name: 'Stopped' });
    await client.post('/v1/unfreeze');
    beforeList = () => set('turned-off', { enabled: false });
    await add({ ...tried, name: 'Turned off' });
    await until('the list', async () =>
      (
        (await client.get('/v1/model-suppliers')).body['suppliers'] as { name: string; enabled: boolean }[]
      ).some(({ name, enabled }) => name === 'Turned off' && !enabled),
    );
    beforeList = null;
    // One that comes later has been tried, and these have not.
    await add({ ...tried, name: 'Later' });
    await until('the last trial', isKnown('Later'));
    expect([asked.length, await reported('Stopped'), await reported('Turned off')]).toEqual([4, null, null]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

it('the price list is the one that is installed', () => {
  const [name = '', version] = priceList.name.split(' ');
  expect((packageJson.dependencies as Record<string, string>)[name]).toBe(version);
});

it('a price that was edited in the database stops the treasury', async () => {
  const dataDir = folder();
  const first = await openTreasury({ dataDir });
  await first.client.post('/v1/model-suppliers', { ...local, name: 'Mine' });
  const price = { inputPerMillion: '3', outputPerMillion: '15' };
  await first.client.post('/v1/language-models', { supplierId: 'mine', modelId: 'm', ...price });
  await first.close();
  const db = new Database(join(dataDir, 'sandbox', 'treasury.db'));
  db.exec('UPDATE language_model SET output = 1');
  db.close();
  const again = await openTreasury({ dataDir });
  const { freeze } = (await again.client.get('/v1/dashboard')).body;
  expect([freeze.frozen, freeze.reason]).toEqual([true, expect.stringContaining('language_model:mine/m')]);
  await again.close();
});
