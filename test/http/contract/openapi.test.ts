// The interface as others read it: a linter finds nothing, a generated client compiles and pays, and the examples are true.
// And the routes without a credential: the services, and whether the treasury runs.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { type Route, type RouteName, routes } from '../../../server/contract/routes.ts';
import { exchanges } from '../../../server/contract/schemas.ts';
import { codeTable } from '../../../server/errors.ts';
import { exampleOf } from '../../../server/http/openapi-examples.ts';
import { errorExample, exampleValues } from '../../../server/http/openapi-example-values.ts';
import { useFolders } from '../../harness/folders.ts';
import { installPeer, peerFile, startPeer } from '../../harness/programs/peers.ts';
import { client, payer, treasury, useTreasury } from '../api-treasury.ts';

interface Operation {
  requestBody?: object;
  security: object[];
  operationId: RouteName;
  tags: string[];
  parameters: { name: string; in: string; required: boolean }[];
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}
interface Document {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

const folder = useFolders();
useTreasury();
let document: Document;
beforeAll(async () => {
  document = (await client.get('/v1/openapi.json', { token: null, owner: null })).body as unknown as Document;
  await installPeer('openapi');
}, 600_000);

const operations = (): Operation[] => Object.values(document.paths).flatMap((item) => Object.values(item));
const headersOf = ({ parameters }: Operation): string[] =>
  parameters.flatMap((one) => (one.in === 'header' ? [one.name] : []));

const lint = async (text: string): Promise<{ ruleId: string }[]> => {
  const file = join(folder(), 'openapi.json');
  writeFileSync(file, text);
  const peer = await startPeer('openapi', 'lint', { file });
  await peer.end();
  return JSON.parse(peer.says['problems'] ?? '') as { ruleId: string }[];
};

describe('a linter', () => {
  it('finds nothing in it', async () => {
    expect(await lint(JSON.stringify(document))).toEqual([]);
  });

  it('would find an example that is not true, and a server that is not told', async () => {
    const broken = JSON.stringify({ ...document, servers: [] }).replace(
      '"maxAmount":"0.10"',
      '"maxAmount":0.1',
    );
    const rules = (await lint(broken)).map(({ ruleId }) => ruleId);
    expect(new Set(rules)).toEqual(new Set(['no-empty-servers', 'no-invalid-media-type-examples']));
  });
});

describe('the document', () => {
  it('describes every route, whom it lets in, and that it may refuse', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/);
    const told = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId, parameters, requestBody, responses, security }]) => {
        const { access }: Route = routes[operationId];
        expect(
          parameters.some(({ name, required }) => name === 'owner' && required),
          operationId,
        ).toBe(!['public', 'identity'].includes(access));
        expect(security, operationId).toEqual(access === 'public' ? [] : [{ bearer: [] }]);
        expect(requestBody === undefined, operationId).toBe(method === 'get' || method === 'delete');
        expect(Object.keys(responses), operationId).toContain('default');
        return `${operationId}: ${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
      }),
    );
    expect(told.toSorted()).toEqual(
      Object.entries(routes)
        .map(([name, { method, path }]) => `${name}: ${method} ${path}`)
        .toSorted(),
    );
  });

  it('names this server, the callers of each route, and the schemas that routes share', () => {
    expect(document.servers.map(({ url }) => url)).toEqual([treasury.host.url]);
    const known = document.tags.map(({ name }) => name);
    expect(known).toEqual(['agent', 'owner', 'guest', 'everyone']);
    for (const { operationId, tags } of operations()) {
      const { access }: Route = routes[operationId];
      const isAgents = ['key', 'agent', 'any-agent'].includes(access);
      expect([tags.includes('agent'), tags.includes('everyone')], operationId).toEqual([
        isAgents,
        access === 'public',
      ]);
    }
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['Agent', 'Approval', 'Error', 'PayRequest', 'Policy', 'Service', 'Transfer']),
    );
    const text = JSON.stringify(document);
    for (const name of ['Activity', 'Agent', 'Approval', 'Failure', 'Policy', 'Task', 'Transfer'])
      expect(text.split(JSON.stringify(document.components.schemas[name])).length, name).toBe(2);
  });

  it('tells where Idempotency-Key and Prefer count', () => {
    const told = operations().flatMap((one) =>
      headersOf(one).length === 0 ? [] : [[one.operationId, headersOf(one)]],
    );
    const both = ['Idempotency-Key', 'Prefer'];
    expect(Object.fromEntries(told)).toEqual(
      Object.fromEntries(
        ['allocate', 'archive', 'fetch', 'generate', 'pay', 'recall', 'withdraw'].map((name) => [name, both]),
      ),
    );
    const withdraw = operations().find(({ operationId }) => operationId === 'withdraw');
    expect(withdraw?.parameters.filter(({ required }) => required).map(({ name }) => name)).toEqual([
      'owner',
      'Idempotency-Key',
    ]);
  });

  it('tells what answers in another form than JSON', () => {
    const forms = operations().flatMap(({ operationId, responses }) => {
      const types = Object.keys(responses['200']?.content ?? {});
      return types.includes('application/json') && types.length === 1 ? [] : [[operationId, types]];
    });
    expect(Object.fromEntries(forms)).toMatchObject({
      events: ['text/event-stream'],
      agentEvents: ['text/event-stream'],
      statement: ['text/csv', 'application/json'],
      books: ['text/csv', 'text/plain', 'application/x-ofx', 'application/gzip'],
      answer: ['application/octet-stream'],
      taskImage: ['image/*'],
    });
  });
});

describe('an example', () => {
  const kinds = ['request', 'reply', 'accepted'] as const;
  const names = Object.keys(routes) as RouteName[];

  it.each(names)('of %s is what the contract takes and gives', (name) => {
    const exchange = exchanges[name];
    const { request, reply, accepted } = exampleOf(name);
    if (request !== undefined) expect(exchange.body.safeParse(request).error).toBeUndefined();
    if (reply !== undefined) expect((exchange.reply as z.ZodType).parse(reply)).toEqual(reply);
    if (accepted !== undefined)
      expect('accepted' in exchange && (exchange.accepted as z.ZodType).parse(accepted)).toEqual(accepted);
  });

  it('shows what is told of it', () => {
    const missing = Object.entries(exampleValues).flatMap(([name, told]) =>
      kinds.filter((kind) => kind in told && exampleOf(name as RouteName)[kind] === undefined),
    );
    expect(missing).toEqual([]);
  });

  it('is there for what moves money, and for most of what reads or sets a limit', () => {
    const examples = names.map(exampleOf);
    expect(examples.filter(({ request }) => request !== undefined).length).toBeGreaterThanOrEqual(40);
    expect(examples.filter(({ reply }) => reply !== undefined).length).toBeGreaterThanOrEqual(60);
    const shown = ['deploy', 'allocate', 'pay', 'fetch', 'setPolicy'] as const;
    for (const name of shown) expect(Object.values(exampleOf(name)), name).not.toContain(undefined);
  });

  it('of an error has a code that there is', () => {
    expect(codeTable).toHaveProperty(errorExample.code);
  });
});

/** A developer’s code against the generated types. Lines that expect an error are wrong calls. */
const program = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

type Policy = components['schemas']['Policy'];

export const run = async (baseUrl: string, owner: string, agentId: string, key: string) => {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${key}\` } });
  const path = { agentId };
  const query = { owner };
  const balance = await client.GET('/v1/agents/{agentId}/balance', { params: { path, query } });
  const read = await client.GET('/v1/agents/{agentId}/policy', { params: { path, query } });
  const policy: Policy | undefined = read.data?.policy;
  const pay = (amount: string) =>
    client.POST('/v1/agents/{agentId}/pay', {
      params: { path, query, header: { 'Idempotency-Key': 'order-17', Prefer: 'wait=20' } },
      body: { service: 'sandbox-weather', amount, currency: 'USDC' },
    });
  const [first, again, other] = [await pay('0.01'), await pay('0.01'), await pay('0.02')];
  const code: components['schemas']['Error']['code'] = other.error?.code;
  const wrong = () => {
    // @ts-expect-error an amount is text
    void client.POST('/v1/agents/{agentId}/pay', { params: { path, query }, body: { service: 'a', amount: 1, currency: 'USDC' } });
    // @ts-expect-error a withdrawal needs its key
    void client.POST('/v1/treasury/withdraw', { params: { query }, body: { asset: 'USDC', to: owner, amount: '1' } });
    // @ts-expect-error there is no such route
    void client.GET('/v1/nowhere', {});
  };
  return { balance: balance.data?.balance, limit: policy?.maxPerPayment, first: first.data, again: again.data, code, wrong };
};
`;

it('makes a client that compiles, and pays once under its key', async () => {
  const place = folder();
  mkdirSync(join(place, 'node_modules'), { recursive: true });
  symlinkSync(await peerFile('openapi', 'openapi-fetch'), join(place, 'node_modules/openapi-fetch'));
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  const files = { document: join(place, 'openapi.json'), program: join(place, 'program.ts') };
  writeFileSync(files.document, JSON.stringify(document));
  writeFileSync(files.program, program);
  const peer = await startPeer('openapi', 'generate', files);
  await peer.end();
  expect(JSON.parse(peer.says['diagnostics'] ?? '')).toEqual([]);
  expect(readFileSync(join(place, 'schema.d.ts'), 'utf8')).toContain('"Idempotency-Key"?: string');

  const { run } = (await import(pathToFileURL(join(place, 'program.js')).href)) as {
    run(...how: string[]): Promise<Record<string, { paymentId?: string }>>;
  };
  const done = await run(treasury.host.url, treasury.owner, 'payer', payer.key);
  expect(done).toMatchObject({ balance: '50.00', limit: '2.00', code: 'idempotency_conflict' });
  expect(done['first']).toMatchObject({ status: 'confirmed', amount: '0.01' });
  expect(done['again']).toEqual(done['first']);
});

describe('the search for services', () => {
  it('finds services by words, counts them, and needs no key', async () => {
    const found = await client.get('/v1/services/search?q=weather', { token: null, owner: null });
    expect(found.body).toMatchObject({ query: 'weather', total: 1 });
    expect(found.body['results'][0]).toMatchObject({
      id: 'sandbox-weather',
      pricing: {},
      price: '0.01',
      source: 'svc-native',
    });
    const none = await client.get(`/v1/services/search?q=${encodeURIComponent("%_' zz=zz --")}`, {
      token: null,
    });
    expect([none.status, none.body['total']]).toEqual([200, 0]);
    expect((await client.get('/v1/services/search', { token: null })).status).toBe(200);
  });
});

describe('health', () => {
  it('is {ok} and no more', async () => {
    const { status, text } = await client.get('/v1/health', { token: null, owner: null });
    expect([status, text]).toEqual([200, '{"ok":true}']);
  });
});
