// Wrong input of every kind: 400, a sentence that names the field, and no change.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { parse } from '../../server/contract/field-errors.ts';
import { routes, type RouteName } from '../../server/contract/routes.ts';
import { stops } from '../../server/contract/stops.ts';
import { exchanges } from '../../server/contract/schemas.ts';
import { AppError } from '../../server/errors.ts';
import type { Answer } from '../harness/http-client.ts';
import { openTreasury, type Treasury } from '../harness/treasury.ts';
import { askingAgent, namesIn, type Names } from './every-route.ts';
import { stateOf } from './state.ts';
import { fieldsOfQuery, shapesOf } from './wrong-input.ts';
import { fault } from './wrong-values.ts';

let treasury: Treasury;
let ids: Names;
beforeAll(async () => {
  treasury = await openTreasury();
  ({ names: ids } = await namesIn(treasury, await askingAgent(treasury, 'payer')));
});
afterAll(() => treasury.close());

const ownerToken = (): string => readFileSync(treasury.host.cookieFile ?? '', 'utf8');

const unchanged = async (work: () => Promise<void>): Promise<void> => {
  const before = stateOf(treasury.host);
  await work();
  expect(stateOf(treasury.host)).toBe(before);
};

const pathOf = (name: RouteName): string =>
  routes[name].path.replaceAll(/:(\w+)/g, (_, id: string) => ids[id] ?? '');

/** What the routes' own border says of an input; null where it lets the input in, and what lies behind has to refuse it. */
const saidAtBorder = (schema: z.ZodType, sent: unknown): Parameters<typeof fault>[1] | null => {
  try {
    parse(schema, JSON.parse(JSON.stringify(sent)));
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { status, message, code, details } = error;
    return { status, body: { error: message, code, details }, text: message };
  }
};

/** A stop stops whatever its body is: body.test.ts. */
const writing = (Object.keys(routes) as RouteName[]).filter(
  (name) => routes[name].method !== 'GET' && !stops.includes(name),
);
const hasFields = (name: RouteName): boolean => shapesOf(name).some(({ fields }) => fields.length > 0);

describe('the body of', () => {
  it.each(writing)('%s has a right value for what it needs', (name) => {
    for (const { good } of shapesOf(name))
      expect(exchanges[name].body.safeParse(good), JSON.stringify(good)).toMatchObject({ success: true });
  });

  it.each(writing.filter(hasFields))('%s is refused with any wrong field, which is named', async (name) => {
    const faults: (string | undefined)[] = [];
    const post = (body: unknown, key: string): Promise<Answer> =>
      treasury.client.call(routes[name].method, pathOf(name), { body, key: `${name} ${key}` });
    /** The first is sent; of the others, those that the border lets in. */
    const refuses = async (named: string, bodies: readonly unknown[]): Promise<void> => {
      for (const [at, body] of bodies.entries()) {
        const said = at === 0 ? null : saidAtBorder(exchanges[name].body, body);
        faults.push(fault(named, said ?? (await post(body, `${named} ${at}`))));
      }
    };
    await unchanged(async () => {
      for (const { good, fields } of shapesOf(name)) {
        for (const { name: named, wrong, isNeeded } of fields) {
          const { [named]: _, ...rest } = good;
          await refuses(named, [
            ...(isNeeded ? [rest] : []),
            ...wrong.map((value) => ({ ...rest, [named]: value })),
          ]);
        }
        for (const unknown of ['nonsense', 'constructor', 'toString', 'owner', 'Amount', 'agent id'])
          await refuses(unknown, [{ ...good, [unknown]: '1' }]);
      }
    });
    expect(faults.filter((one) => one !== undefined)).toEqual([]);
  });

  it.each(writing.filter((name) => !hasFields(name)))('%s is refused with any field', async (name) => {
    const path = name === 'revokeGrant' ? '' : pathOf(name);
    // There is no standing approval, and a path is checked before a body.
    if (path === '') return expect(exchanges.revokeGrant.body.safeParse({ nonsense: 1 }).success).toBe(false);
    await unchanged(async () => {
      const answer = await treasury.client.call(routes[name].method, path, { body: { nonsense: 1 } });
      expect(fault('nonsense', answer)).toBeUndefined();
    });
  });

  it('any route is refused when it is no JSON object', async () => {
    const texts = [
      '{',
      '}',
      '{"a":}',
      "{'a':1}",
      '{"a":1}{"b":2}',
      'null',
      '1',
      '"x"',
      'true',
      '[]',
      '[{}]',
      'NaN',
      '\u0000',
      'a=b',
    ];
    const faults: (string | undefined)[] = [];
    await unchanged(async () => {
      const named = writing.filter(hasFields);
      // Each text at one route, and each route with one text.
      const sent = named.flatMap((name, at) =>
        at === 0 ? texts.map((body) => ({ name, body })) : [{ name, body: texts[at % texts.length] ?? '' }],
      );
      for (const { name, body } of sent) {
        const response = await fetch(`${treasury.host.url}${pathOf(name)}?owner=${treasury.owner}`, {
          method: routes[name].method,
          headers: {
            'content-type': 'application/json',
            authorization: `Bearer ${ownerToken()}`,
            'idempotency-key': 'x',
          },
          body,
        });
        const text = await response.text();
        const answer = { status: response.status, body: JSON.parse(text) as Record<string, unknown>, text };
        const isUnion = ['withdraw', 'addIdentity', 'addNoticeChannel'].includes(name);
        faults.push(fault(isUnion && body.startsWith('[') ? '' : 'body', answer));
      }
    });
    expect(faults.filter((one) => one !== undefined)).toEqual([]);
  });

  it('any route is refused when it holds a prototype', async () => {
    await unchanged(async () => {
      for (const body of ['{"__proto__":{"amount":"1"}}', '{"displayName":"x","__proto__":{"x":1}}']) {
        const response = await fetch(`${treasury.host.url}/v1/agents/payer/rename?owner=${treasury.owner}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${ownerToken()}` },
          body,
        });
        expect(response.status).toBe(400);
      }
    });
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  it('any route gets a short answer, however many of its fields are wrong', async () => {
    const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, 1]));
    const many = await treasury.client.post('/v1/agents/payer/policy', body);
    expect(many.status).toBe(400);
    expect(many.text.length).toBeLessThan(2_000);
    const long = await treasury.client.post('/v1/agents/payer/policy', { ['x'.repeat(60_000)]: 1 });
    expect(long.text.length).toBeLessThan(300);
  });
});

describe('the query of', () => {
  it.each((Object.keys(routes) as RouteName[]).filter((name) => fieldsOfQuery(name).length > 0))(
    '%s is refused with any wrong field, which is named',
    async (name) => {
      const faults: (string | undefined)[] = [];
      for (const { name: named, wrong } of fieldsOfQuery(name)) {
        for (const [at, value] of wrong.entries()) {
          const raw = String(value);
          const isTwice = raw.includes('&');
          const said = at === 0 || isTwice ? null : saidAtBorder(exchanges[name].query, { [named]: raw });
          const encoded = isTwice ? raw : encodeURIComponent(raw);
          const send = (): Promise<Answer> => treasury.client.get(`${pathOf(name)}?${named}=${encoded}`);
          faults.push(fault(named, said ?? (await send())));
        }
      }
      expect(faults.filter((one) => one !== undefined)).toEqual([]);
    },
  );

  it('every route is refused with a field that it does not know', async () => {
    const faults: (string | undefined)[] = [];
    await unchanged(async () => {
      for (const name of Object.keys(routes) as RouteName[]) {
        if (name === 'revokeGrant') continue;
        const path = pathOf(name);
        const answer = await treasury.client.call(routes[name].method, `${path}?nonsense=1`);
        faults.push(fault('nonsense', answer));
      }
    });
    expect(faults.filter((one) => one !== undefined)).toEqual([]);
  });
});
