// The routes without a credential: the services, the interface itself, and whether the treasury runs.
import { describe, expect, it } from 'vitest';
import { routes, type Route, type RouteName } from '../../server/contract/routes.ts';
import { client, useTreasury } from './api-treasury.ts';

useTreasury();

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

interface Told {
  operationId: RouteName;
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: object;
  responses: Record<string, { description: string; content: Record<string, { schema: object }> }>;
  security: object[];
}

describe('openapi.json', () => {
  it('is OpenAPI 3.1 and describes every route, its parameters, its answers and its callers', async () => {
    const { body } = await client.get('/v1/openapi.json', { token: null, owner: null });
    expect(body['openapi']).toMatch(/^3\.1\.\d$/);
    expect(body['info']).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    const told = new Set<string>();
    for (const [path, item] of Object.entries(body['paths'] as Record<string, Record<string, Told>>)) {
      for (const [method, operation] of Object.entries(item)) {
        told.add(`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
        const name = operation.operationId;
        const route: Route = routes[name];
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => one);
        const { parameters } = operation;
        expect(parameters.filter((one) => one.in === 'path').map((one) => one.name)).toEqual(inPath);
        expect(new Set(parameters.map((one) => `${one.in} ${one.name}`)).size).toBe(parameters.length);
        for (const parameter of parameters) expect(typeof parameter.schema).toBe('object');
        expect(parameters.some((one) => one.name === 'owner' && one.required)).toBe(
          !['public', 'identity'].includes(route.access),
        );
        expect(operation.security).toEqual(route.access === 'public' ? [] : [{ bearer: [] }]);
        expect(operation.requestBody === undefined).toBe(method === 'get' || method === 'delete');
        for (const answer of Object.values(operation.responses)) {
          const response = '$ref' in answer ? body['components'].responses.Refused : answer;
          expect(response.description).not.toBe('');
          for (const { schema } of Object.values(response.content as Told['responses'][string]['content']))
            expect(typeof schema).toBe('object');
        }
        expect(Object.keys(operation.responses)).toContain('default');
      }
    }
    expect([...told].toSorted()).toEqual(
      Object.values(routes)
        .map(({ method, path }) => `${method} ${path}`)
        .toSorted(),
    );
    const ids = Object.values(body['paths'] as Record<string, object>).flatMap((item) =>
      Object.values(item).map((one) => one.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...JSON.stringify(body).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, one]) => one ?? '',
    );
    for (const one of new Set(references))
      expect(
        one.split('/').reduce<unknown>((at, part) => Reflect.get(Object(at), part), body),
        one,
      ).toBeDefined();
  });
});

describe('health', () => {
  it('is {ok} and no more', async () => {
    const { status, text } = await client.get('/v1/health', { token: null, owner: null });
    expect([status, text]).toEqual([200, '{"ok":true}']);
  });
});
