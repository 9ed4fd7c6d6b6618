// Every route: what it says to wrong input of every kind (400, a sentence that names the field, and no change), and the access
// table: for every credential and `owner`, whether the request is allowed.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { parse } from '../../../server/contract/field-errors.ts';
import { type Route, type RouteName, routes } from '../../../server/contract/routes.ts';
import { exchanges } from '../../../server/contract/schemas.ts';
import { stops } from '../../../server/contract/treasury/stops.ts';
import { AppError } from '../../../server/errors.ts';
import type { Answer, Client, Sent } from '../../harness/http-client.ts';
import { newWallet, signIn } from '../../harness/chain/sign-in.ts';
import { deploy, openTreasury, type TestAgent, type Treasury, until } from '../../harness/treasury.ts';
import { askingAgent, type Names, namesIn } from './every-route.ts';
import { stateOf } from './state.ts';
import { fieldsOfQuery, shapesOf } from './wrong-input.ts';
import { fault } from './wrong-values.ts';

type Callers = 'everybody' | 'own agent' | 'any agent' | 'who asked' | 'owner or identity' | 'owner';

/** The callers that are allowed beside the owner. A route that is not here is the owner’s alone. */
const beside: Readonly<Partial<Record<Callers, string>>> = {
  everybody:
    'health openapi searchServices openSession openLogin claimLogin openLink getLink signInMethods askWallet ' +
    'proveWallet askEmail proveEmail askProvider proveProvider listModels serviceCategories',
  'owner or identity': 'completeLink',
  'own agent':
    'balance agentEvents getPolicy spendHistory getPayment answer received fetch pay explainPolicy kill ' +
    'setPolicy rename allocate resume generate listTasks getTask taskImage cancelTask delegateKey ' +
    'listDelegatedKeys endDelegatedKey getLimits modelUsage',
  'any agent': 'deploy',
  'who asked': 'getApproval picture',
};
const callersOf = (name: RouteName): Callers =>
  (Object.keys(beside) as Callers[]).find((callers) => beside[callers]?.split(' ').includes(name)) ?? 'owner';

const names = Object.keys(routes) as RouteName[];
const day = 24 * 3_600_000;

let wall = Date.now();
let up = 0;
const pass = (ms: number): void => {
  wall += ms;
  up += ms;
};

let treasury: Treasury;
let client: Client;
let alice: TestAgent;
let bob: TestAgent;
let ids: Names;
let keys: Record<string, string | null>;
let owners: Record<string, string>;

beforeAll(async () => {
  treasury = await openTreasury({ clock: { wall: () => wall, monotonic: () => up } });
  client = treasury.client;
  alice = await askingAgent(treasury, 'alice');
  bob = await askingAgent(treasury, 'bob');
  const granted = await alice.pay('0.6');
  const { body: shown } = await client.get(`/v1/approvals/${granted.body['approvalId']}`);
  await client.post(`/v1/approvals/${shown['approvalId']}/grant`, {
    hash: shown['hash'],
    standing: { upTo: '0.7', until: new Date(wall + 30 * day).toISOString() },
  });
  const { body: grants } = await client.get('/v1/grants');

  const further = async (): Promise<{ keyId: string; apiKey: string }> =>
    (await client.post('/v1/agents/alice/keys')).body as { keyId: string; apiKey: string };
  const [revoked, ended, rotated] = [await further(), await further(), await further()];
  await client.call('DELETE', `/v1/agents/alice/keys/${revoked.keyId}`);
  await client.post(`/v1/agents/alice/keys/${ended.keyId}/rotate`, { now: true });
  await client.post(`/v1/agents/alice/keys/${rotated.keyId}/rotate`);
  pass(day - 1_000);
  expect((await client.as(rotated.apiKey).get('/v1/agents/alice/balance')).status).toBe(200);
  pass(2_000);

  const { names: made, delegatedKey } = await namesIn(treasury, alice, signer.address);
  ids = { ...made, grantId: String(grants['grants'][0].grantId) };
  keys = {
    nobody: null,
    'a key of nobody': `atk_${'A'.repeat(43)}`,
    'a revoked key': revoked.apiKey,
    'a key that was rotated away': ended.apiKey,
    'a key rotated 24 h ago': rotated.apiKey,
    'another agent': bob.key,
    'a delegated key': delegatedKey,
    'the agent': alice.key,
    'the owner': ownerToken(),
    'who signed in for the link': await signIn(client, String(made['token']), signer),
  };
  const one = encodeURIComponent(treasury.owner);
  owners = {
    right: `owner=${one}`,
    another: `owner=${bob.wallet}`,
    missing: '',
    empty: 'owner=',
    twice: `owner=${one}&owner=${one}`,
    'right, then another': `owner=${one}&owner=${bob.wallet}`,
    malformed: 'owner=0OIl',
    'with a space': `owner=${one}%20`,
    'as a list': `owner[]=${one}`,
    'in upper case': `OWNER=${one}`,
  };
});
afterAll(() => treasury.close());

/** They do not end by themselves. */
const streams: readonly RouteName[] = ['events', 'agentEvents'];

const signer = newWallet();
const ownerToken = (): string => readFileSync(treasury.host.cookieFile ?? '', 'utf8');
const pathOf = ({ path }: Route): string => path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? '');

/**
 * Sends an invalid body, or to a stop, which passes over it, an invalid query: a caller that gets as far as 400 was let in, and
 * nothing is changed.
 */
const call = (name: RouteName, owner: string, sent: Sent): Promise<Answer> => {
  const { method } = routes[name];
  // Polling is allowed every two seconds.
  if (name === 'getLink') pass(2_000);
  const nonsense = streams.includes(name) || stops.includes(name) ? '&nonsense=1' : '';
  const body = method === 'GET' ? {} : { body: { nonsense: 1 } };
  return client.call(method, `${pathOf(routes[name])}?${owner}${nonsense}`, {
    ...body,
    ...sent,
    owner: null,
  });
};

const expected = (name: RouteName, who: string, owner: string): number => {
  const row = callersOf(name);
  const read = name === 'answer' ? 404 : 200;
  // This test's payment has no answer.
  const letIn = routes[name].method === 'GET' && !streams.includes(name) ? read : 400;
  const unknownField = owner === 'as a list' || owner === 'in upper case';
  if (row === 'everybody') return unknownField || routes[name].method !== 'GET' ? 400 : 200;
  if (row === 'owner or identity') {
    if (who === 'the owner' || who === 'who signed in for the link') return 400;
    return who.endsWith('agent') || who === 'a delegated key' ? 403 : 401;
  }
  if (['the agent', 'another agent', 'the owner', 'a delegated key'].includes(who) === false) return 401;
  if (owner === 'another') return 401;
  if (owner !== 'right') return 400;
  if (who === 'a delegated key') return forDelegates(name, letIn);
  if (who === 'the owner' || row === 'any agent') return letIn;
  if (who === 'another agent' && routes[name].path.includes(':agentId')) return 401;
  if (row === 'owner') return 403;
  if (row === 'who asked') return who === 'the agent' ? 200 : 404;
  return letIn;
};

/** It sees neither the payments of the agent nor keys that it did not delegate. */
const forDelegates = (name: RouteName, letIn: number): number => {
  if (routes[name].access !== 'key') return 403;
  const { path } = routes[name];
  return /:(paymentId|taskId|delegatedKeyId)/.test(path) ? 404 : letIn;
};

const refusals = new Set<string>();

const unchanged = async (work: () => Promise<void>): Promise<void> => {
  const before = stateOf(treasury.host);
  await work();
  expect(stateOf(treasury.host)).toBe(before);
};

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
const writing = names.filter((name) => routes[name].method !== 'GET' && !stops.includes(name));
const hasFields = (name: RouteName): boolean => shapesOf(name).some(({ fields }) => fields.length > 0);

describe('the body of', () => {
  it.each(writing)('%s has a right value for what it needs', (name) => {
    for (const { good } of shapesOf(name))
      expect(exchanges[name].body.safeParse(good), JSON.stringify(good)).toMatchObject({ success: true });
  });

  it.each(writing.filter(hasFields))('%s is refused with any wrong field, which is named', async (name) => {
    const faults: (string | undefined)[] = [];
    const post = (body: unknown, key: string): Promise<Answer> =>
      client.call(routes[name].method, pathOf(routes[name]), { body, key: `${name} ${key}` });
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
    const path = name === 'revokeGrant' ? '' : pathOf(routes[name]);
    // There is no standing approval, and a path is checked before a body.
    if (path === '') return expect(exchanges.revokeGrant.body.safeParse({ nonsense: 1 }).success).toBe(false);
    await unchanged(async () => {
      const answer = await client.call(routes[name].method, path, { body: { nonsense: 1 } });
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
        const response = await fetch(`${treasury.host.url}${pathOf(routes[name])}?owner=${treasury.owner}`, {
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
        const response = await fetch(`${treasury.host.url}/v1/agents/alice/rename?owner=${treasury.owner}`, {
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
    const many = await client.post('/v1/agents/alice/policy', body);
    expect(many.status).toBe(400);
    expect(many.text.length).toBeLessThan(2_000);
    const long = await client.post('/v1/agents/alice/policy', { ['x'.repeat(60_000)]: 1 });
    expect(long.text.length).toBeLessThan(300);
  });
});

describe('the query of', () => {
  it.each(names.filter((name) => fieldsOfQuery(name).length > 0))(
    '%s is refused with any wrong field, which is named',
    async (name) => {
      const faults: (string | undefined)[] = [];
      for (const { name: named, wrong } of fieldsOfQuery(name)) {
        for (const [at, value] of wrong.entries()) {
          const raw = String(value);
          const isTwice = raw.includes('&');
          const said = at === 0 || isTwice ? null : saidAtBorder(exchanges[name].query, { [named]: raw });
          const encoded = isTwice ? raw : encodeURIComponent(raw);
          const send = (): Promise<Answer> => client.get(`${pathOf(routes[name])}?${named}=${encoded}`);
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
        const path = pathOf(routes[name]);
        const answer = await client.call(routes[name].method, `${path}?nonsense=1`);
        faults.push(fault('nonsense', answer));
      }
    });
    expect(faults.filter((one) => one !== undefined)).toEqual([]);
  });
});

describe('the access table', () => {
  it.each(names.map((name, at) => [name, at] as const))(
    'holds for %s, for every credential and owner',
    async (name, at) => {
      const wrong: string[] = [];
      // Each credential with the right owner, each owner with who is let in, and all other pairs over the routes in turn.
      const pairs = Object.entries(keys).flatMap(([who, token], n) =>
        Object.entries(owners)
          .filter(
            ([owner], m) =>
              owner === 'right' || who === 'the agent' || who === 'the owner' || (n + m + at) % 5 === 0,
          )
          .map(([owner, query]) => ({ who, token, owner, query })),
      );
      for (const { who, token, owner, query } of pairs) {
        const { status, text, headers } = await call(name, query, { token });
        const wanted = expected(name, who, owner);
        if (status !== wanted) wrong.push(`${who}, owner ${owner}: ${status}, not ${wanted}: ${text}`);
        if (status === 401) refusals.add(`${text} ${String(headers['www-authenticate'])}`);
        if (
          status === 400 &&
          owner !== 'right' &&
          !['everybody', 'owner or identity'].includes(callersOf(name)) &&
          !/"owner(\[\])?:/i.test(text)
        )
          wrong.push(`does not name owner: ${text}`);
      }
      expect(wrong).toEqual([]);
    },
  );

  it('answers every 401 with the same words, whatever the cause', () => {
    expect([...refusals]).toHaveLength(1);
    expect([...refusals][0]).toContain('"code":"unauthorized"');
  });
});

describe('a key', () => {
  it.each([
    ['Basic', (key: string) => `Basic ${key}`],
    ['no scheme', (key: string) => key],
    ['two of them', (key: string) => `Bearer ${key} ${key}`],
    ['two in a list', (key: string) => `Bearer ${key}, Bearer ${key}`],
    ['a character less', (key: string) => `Bearer ${key.slice(0, -1)}`],
    ['a character more', (key: string) => `Bearer ${key}A`],
    ['another case', (key: string) => `Bearer ${key.toLowerCase()}`],
    ['its hash', (key: string) => `Bearer ${hash('sha256', key)}`],
    ['nothing after Bearer', () => 'Bearer '],
  ])('does not count when it is sent as %s', async (_, authorization) => {
    const headers = { authorization: authorization(alice.key) };
    const { status } = await client.get('/v1/agents/alice/balance', { token: null, headers });
    expect(status).toBe(401);
  });

  it('does not count in the query, in a cookie or in another header', async () => {
    for (const sent of [
      { path: `?api_key=${alice.key}&token=${alice.key}` },
      { headers: { cookie: `token=${alice.key}` } },
      { headers: { 'x-api-key': alice.key } },
    ]) {
      const path = `/v1/agents/alice/balance${'path' in sent ? sent.path : ''}`;
      const { status } = await client.get(path, { token: null, ...('headers' in sent ? sent : {}) });
      expect(status).toBe(401);
    }
  });

  it('counts in any case of the scheme’s name', async () => {
    const headers = { authorization: `bEARER ${alice.key}` };
    expect((await client.get('/v1/agents/alice/balance', { token: null, headers })).status).toBe(200);
  });
});

describe('the order of checks', () => {
  const broken: Record<string, Sent> = {
    'an unknown field': { body: { nonsense: 1 } },
    'a body that is no object': { body: 'text' },
    'a body of another type': { body: {}, headers: { 'content-type': 'text/plain' } },
  };

  it.each(Object.keys(broken))('reports a missing key before %s', async (what) => {
    const { status } = await client.post('/v1/agents/nobody/pay', undefined, {
      ...broken[what],
      token: null,
      owner: null,
    });
    expect(status).toBe(401);
  });

  it.each(Object.keys(broken))('reports a wrong owner before an unknown agent and %s', async (what) => {
    const { status, text } = await client.call('POST', '/v1/agents/nobody/pay', {
      ...broken[what],
      owner: null,
    });
    expect(status).toBe(400);
    expect(text).toContain('owner:');
  });

  it.each(Object.keys(broken))('reports an unknown path before %s', async (what) => {
    const wrong: string[] = [];
    for (const name of names) {
      const { method, path } = routes[name];
      // A service outside the catalog can be blocked, too.
      if (method === 'GET' || !path.includes(':') || name === 'setServiceRule') continue;
      const { status, text } = await client.call(method, path.replaceAll(/:\w+/g, 'nobody'), broken[what]);
      if (status !== 404) wrong.push(`${name}: ${status} ${text}`);
    }
    expect(wrong).toEqual([]);
  });

  it('reports a missing permission before a missing object', async () => {
    const { status } = await alice.client.post('/v1/approvals/nobody/grant', { nonsense: 1 });
    expect(status).toBe(403);
  });

  it('does not reveal the routes without a credential', async () => {
    for (const path of [
      '/',
      '/v2',
      '/v1',
      '/v1/nothing',
      '/v1/agents/alice/nothing',
      '/V1/health',
      '/v1/health/',
    ]) {
      expect((await client.get(path, { token: null })).status, path).toBe(401);
      expect((await client.get(path)).status, path).toBe(404);
    }
  });
});

describe('an agent', () => {
  it('cannot see another agent’s payment, nor whether there is one', async () => {
    const { body } = await bob.pay('0.02');
    const theirs = await alice.client.get(`/v1/agents/alice/payments/${body['paymentId']}`);
    const none = await alice.client.get('/v1/agents/alice/payments/pay_none');
    expect([theirs.status, none.status]).toEqual([404, 404]);
    expect(theirs.text.replace(String(body['paymentId']), 'pay_none')).toBe(none.text);
  });

  it('cannot see another agent’s approval, nor whether there is one', async () => {
    const { body } = await bob.pay('0.6');
    const theirs = await alice.client.get(`/v1/approvals/${body['approvalId']}`);
    const none = await alice.client.get('/v1/approvals/apr_none');
    expect([theirs.status, none.status]).toEqual([404, 404]);
    expect(theirs.text.replace(String(body['approvalId']), 'apr_none')).toBe(none.text);
  });

  it('learns nothing from an agent id other than its own', async () => {
    const theirs = await alice.client.get('/v1/agents/bob/balance');
    const none = await alice.client.get('/v1/agents/nobody/balance');
    expect(theirs.status).toBe(401);
    expect(theirs.text).toBe(none.text);
  });

  it('reads nothing about others on any route that it may read', async () => {
    const read = names.filter(
      (name) =>
        routes[name].method === 'GET' &&
        callersOf(name) !== 'owner' &&
        !['openapi', 'picture', 'taskImage', ...streams].includes(name),
    );
    const texts = await Promise.all(
      read.map(async (name) => (await alice.client.get(pathOf(routes[name]))).text),
    );
    for (const text of texts) {
      expect(text).not.toContain('bob');
      expect(text).not.toContain(bob.wallet);
    }
  });

  it('can use none of its API keys once it is archived', async () => {
    const carol = await deploy(client, 'carol', { policy: { approveAbove: '0' } });
    const waiting = carol.pay('0.5', { prefer: 'wait=30' });
    const store = treasury.host.engine.context.store;
    const approval = await until('its approval', () => store.approvals.pending('carol')[0]);
    expect((await client.post('/v1/agents/carol/archive')).status).toBe(200);
    expect((await waiting).status).toBeGreaterThanOrEqual(400);
    expect((await client.get(`/v1/approvals/${approval.id}`)).body['status']).toBe('cancelled');
    expect((await carol.client.get('/v1/agents/carol/balance')).status).toBe(401);
    expect((await client.get('/v1/agents/carol/balance')).status).toBe(404);
  });
});
