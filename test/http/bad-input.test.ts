// Wrong input of every kind: 400, a sentence that names the field, and no change.
import { Keypair } from '@solana/web3.js';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byKind, fieldEntries, limitFields } from '../../server/contract/policy-fields.ts';
import { routes, type RouteName } from '../../server/contract/routes.ts';
import { exchanges } from '../../server/contract/schemas.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { newPhone, registerPhone } from '../harness/phone.ts';
import { stateOf } from './state.ts';
import { catalogBodies, catalogQueries, catalogWithoutFields } from './wrong-catalog.ts';
import { linkBodies, linksWithoutFields } from './wrong-links.ts';
import { phoneBodies, phoneQueries, phonesWithoutFields } from './wrong-phones.ts';
import { bookBodies, bookQueries, booksWithoutFields } from './wrong-books.ts';
import { noticeBodies, noticeQueries, noticesWithoutFields } from './wrong-notices.ts';
import {
  fault,
  field,
  needed,
  type Bodies,
  type Queries,
  notText,
  notNumbers,
  notDecimals,
  notAmounts,
  notWallets,
  notServices,
  notCurrencies,
  notNames,
  notMoments,
  notPages,
} from './wrong-values.ts';

let treasury: Treasury;
let agent: TestAgent;
let ids: Record<string, string>;
beforeAll(async () => {
  treasury = await openTreasury();
  agent = await deploy(treasury.client, 'payer', { policy: { approveAbove: '0.5' } });
  const desktop = { kind: 'desktop', kinds: ['approval'] };
  const channel = await treasury.client.post('/v1/notices/channels', desktop);
  const asked = await agent.pay('0.6');
  const refused = await agent.pay('99');
  const boosted = await treasury.client.post('/v1/agents/payer/boost', { amount: '1' });
  await treasury.client.post('/v1/agents/payer/delegation', { allowed: true });
  const delegated = await agent.client.post('/v1/agents/payer/delegated-keys', {
    label: 'a task',
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    dailyBudget: '1',
  });
  const notices = await treasury.client.get('/v1/notices');
  const group = await treasury.client.post('/v1/groups', { name: 'Research' });
  const { body } = await treasury.client.get('/v1/agents/payer/keys');
  const login = await treasury.client.post('/v1/logins', { terminal: 'a terminal' });
  const link = await treasury.client.post('/v1/link-sessions', {});
  const rule = await treasury.client.post('/v1/books/rules', {
    serviceId: 'sandbox-weather',
    account: 'Expenses:Weather',
  });
  const waiting = await treasury.client.get('/v1/link-sessions');
  const wallet = { kind: 'wallet', subject: Keypair.generate().publicKey.toBase58() };
  const identity = await treasury.client.post('/v1/identities', wallet);
  const [model] = (await treasury.client.get('/v1/models')).body['models'];
  const picture = { prompt: 'x', modelId: model.id, resolution: '1k' };
  const task = await treasury.client.post('/v1/agents/payer/generate', picture);
  // It is refused when it is contacted: its address is not public.
  const source = await treasury.client.post('/v1/catalog-sources', { url: 'https://127.0.0.1:1/' });
  ids = {
    agentId: 'payer',
    phoneWalletId: await registerPhone(treasury, await newPhone(treasury)),
    boostId: String(boosted.body['boost'].boostId),
    delegatedKeyId: String(delegated.body['keyId']),
    groupId: String(group.body['groupId']),
    month: String((await treasury.client.get('/v1/books/months')).body['months'][0].month),
    exportId: '00000000-0000-4000-8000-000000000000',
    ruleId: String(rule.body['ruleId']),
    keyId: String(body['keys'][0].keyId),
    approvalId: String(asked.body['approvalId']),
    transferId: String(refused.body['details'].paymentId),
    paymentId: String(asked.body['paymentId']),
    loginId: String(login.body['loginId']),
    token: String(link.body['token']),
    linkId: String(waiting.body['links'][0].linkId),
    identityId: String(identity.body['identityId']),
    modelId: String(model.id),
    taskId: String(task.body['taskId']),
    providerId: 'openai',
    serviceId: 'sandbox-weather',
    sourceId: String(source.body['sourceId']),
    channelId: String(channel.body['channelId']),
    noticeId: String(notices.body['notices'][0].noticeId),
  };
  await until('the picture', () => treasury.host.engine.context.store.tasks.unsettled().length === 0);
});
afterAll(() => treasury.close());

const ownerToken = (): string => readFileSync(treasury.host.cookieFile ?? '', 'utf8');

const unchanged = async (work: () => Promise<void>): Promise<void> => {
  const before = stateOf(treasury.host);
  await work();
  expect(stateOf(treasury.host)).toBe(before);
};

const policyFields = fieldEntries.map(([name, entry]) => {
  const wrong = byKind<unknown[]>(entry, {
    amount: () => notDecimals,
    seconds: ({ least, most }) => [...notNumbers, least - 1, most + 1],
    count: ({ least, most }) => [...notNumbers, least - 1, most + 1],
    services: () => [1, 'x', null, {}, Array(201).fill('x'), ...notServices.map((one) => [one])],
    choice: () => [...notText, '', 'deny', 'ALLOW'],
    time: () => [...notText, '', 'tomorrow', '2030-02-30', '2030-01-01T25:00Z'],
    serviceLimits: () => [
      ...notText,
      [],
      {},
      'maps 1/day',
      ...notServices.filter((id) => typeof id === 'string').map((id) => ({ [id]: { dailyBudget: '1' } })),
      ...[{}, 1, { weeklyBudget: '1' }, { dailyBudget: null }].map((limit) => ({ maps: limit })),
      ...notDecimals
        .filter((amount) => amount !== undefined)
        .map((dailyBudget) => ({ maps: { dailyBudget } })),
      Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`s${at}`, { dailyBudget: '1' }])),
    ],
    hours: () => [
      ...notText,
      'mon-fri 08:00-19:00',
      ...[
        { days: [] },
        { days: [0] },
        { days: [8] },
        { days: ['1'] },
        { days: 1 },
        { from: '24:00' },
        { from: '8:00' },
        { to: '08:00' },
        { to: undefined },
        { more: 1 },
      ].map((change) => ({ days: [1], from: '08:00', to: '09:00', ...change })),
    ],
  });
  return field(
    name,
    wrong.filter((value) => value !== null || entry.mayBeNone !== true),
  );
});
/** Of a node that may have no limit at all. */
const nodeFields = policyFields.flatMap(({ name, wrong }) =>
  (limitFields as readonly string[]).includes(name)
    ? [
        field(
          name,
          wrong.filter((value) => value !== null),
        ),
      ]
    : [],
);
const reason = field('reason', [...notText, 'x'.repeat(281)]);
const boostFields = [
  needed('amount', notDecimals),
  field('until', [...notMoments, '2020-01-01', '2999-01-01']),
];
const moneyFields = [needed('amount', notAmounts), field('currency', notCurrencies)];
const bodies: Bodies = {
  ...linkBodies,
  ...catalogBodies,
  ...bookBodies,
  ...noticeBodies,
  ...phoneBodies,
  deploy: {
    good: { agentId: 'new', dailyBudget: '1', maxPerPayment: '1' },
    fields: [
      needed('agentId', [
        ...notText,
        '',
        '.a',
        '-a',
        '_a',
        'a b',
        'ä',
        'a/b',
        '../a',
        'a'.repeat(65),
        'a\n',
        'a\u0000',
      ]),
      needed('dailyBudget', notDecimals),
      needed('maxPerPayment', notDecimals),
      field('displayName', notNames),
      reason,
    ],
  },
  setPolicy: { good: {}, fields: [...policyFields, reason] },
  previewPolicy: { good: {}, fields: policyFields },
  allocate: { good: { amount: '1' }, fields: [...moneyFields, reason] },
  recall: { good: { amount: '1' }, fields: moneyFields },
  resume: { good: {}, fields: [reason] },
  markAgent: {
    good: {},
    fields: [
      field('color', [1, true, [], {}, ['x'], '', 'beige']),
      field('picture', [1, true, [], {}, '', 'xxxxx']),
      field('tags', [1, true, null, {}, 'x', [1], [''], ['x'.repeat(25)], Array(9).fill('x')]),
    ],
  },
  rename: { good: { displayName: 'x' }, fields: [needed('displayName', notNames)] },
  explainPolicy: {
    good: { service: 'sandbox-weather', amount: '0.01' },
    fields: [needed('service', notServices), needed('amount', notAmounts)],
  },
  pay: {
    good: { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' },
    fields: [
      needed('service', notServices),
      needed('amount', notAmounts),
      needed('currency', notCurrencies),
      field('description', [...notText, 'x'.repeat(281)]),
      reason,
      field('invoice', [...notText, '', 'a b', 'ä', 'x'.repeat(65)]),
      field('rail', [...notText, '', 'eth', 'ethereum', 'SOL']),
    ],
    or: {
      good: { x402: { scheme: 'exact' }, resource: 'https://example.com/' },
      fields: [
        needed('x402', [1, 'x', true, null, [], [{}]]),
        needed('resource', [...notText, '', 'example.com', 'file:///etc/passwd']),
        field('extensions', [1, 'x', true, null, []]),
        field('description', [...notText, 'x'.repeat(281)]),
        reason,
      ],
      or: {
        good: { demand: { x402Version: 2, accepts: [] }, resource: 'mcp:shop', request: 'a'.repeat(64) },
        fields: [
          needed('demand', [1, 'x', true, null, []]),
          needed('resource', [...notText, '', 'mcp:', 'mcp:a b', 'mcp://x', 'file:///etc/passwd']),
          needed('request', [...notText, '', 'a'.repeat(63), 'A'.repeat(64)]),
          field('description', [...notText, 'x'.repeat(281)]),
          reason,
        ],
      },
    },
  },
  fetch: {
    good: { url: 'https://example.com/' },
    fields: [
      needed('url', [
        ...notText,
        '',
        'example.com',
        '/path',
        'file:///etc/passwd',
        'ftp://x.y/',
        'https://example.com./',
        `https://x.y/${'x'.repeat(2_000)}`,
      ]),
      field('method', [...notText, '', 'get', 'HEAD', 'CONNECT', 'TRACE']),
      field('headers', [
        ...notText.filter((one) => typeof one !== 'object' || one === null),
        [],
        { host: 'x' },
        { 'X-Payment': 'x' },
        { 'payment-signature': 'x' },
        { connection: 'close' },
        { a: 1 },
        { a: 'b\r\nc: d' },
        { 'a b': 'c' },
        Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`a${index}`, 'x'])),
      ]),
      field('body', [...notText, 'with GET']),
      field('timeoutSeconds', [...notNumbers, 0, 3_601]),
      field('maxBytes', [...notNumbers, 0, 64 * 1024 * 1024 + 1]),
      field('maxAmount', notAmounts),
      reason,
    ],
  },
  addKey: { good: {}, fields: [field('label', notNames)] },
  rotateKey: { good: {}, fields: [field('now', [1, 'true', null, [], {}])] },
  grantApproval: {
    good: { hash: 'x' },
    fields: [
      needed('hash', notText),
      field('standing', [1, 'x', null, true, [], {}, { upTo: '1' }, { until: '2030-01-01' }]),
      field(
        'standing',
        notAmounts.map((upTo) => ({ upTo, until: '2030-01-01' })),
      ),
      field(
        'standing',
        notMoments.map((moment) => ({ upTo: '1', until: moment })),
      ),
      field('standing', [{ upTo: '1', until: '2030-01-01', more: 1 }]),
    ],
  },
  denyApproval: {
    good: {},
    fields: [field('afterMs', [null, -1, 1.5, 60_001, '1', true])],
  },
  freeze: { good: {}, fields: [field('reason', [...notText, 'x'.repeat(281)])] },
  unlock: { good: {}, fields: [field('passphrase', [...notText, 'x'.repeat(1_025)])] },
  setWatch: { good: { mode: 'ask' }, fields: [needed('mode', [...notText, '', 'asks'])] },
  watchNormal: { good: {}, fields: [field('tripId', notText)] },
  endWatchMute: {
    good: { rule: 'runaway' },
    fields: [needed('rule', [...notText, '', 'runs']), field('service', [...notText, 'x'.repeat(201)])],
  },
  setTimeZone: {
    good: { timeZone: 'Europe/Lisbon' },
    fields: [needed('timeZone', [...notText, '', 'Mars/Olympus', 'x'.repeat(65)])],
  },
  createGroup: {
    good: { name: 'CI' },
    fields: [
      needed('name', notNames),
      field('limits', [1, 'x', [], null, { nonsense: 1 }, { dailyBudget: 1 }, { activeHours: {} }]),
    ],
  },
  delegateKey: {
    good: { label: 'x', expiresAt: new Date(Date.now() + 3_600_000).toISOString(), dailyBudget: '1' },
    fields: [
      needed('label', notNames),
      needed('expiresAt', [...notMoments, '2020-01-01', '2999-01-01']),
      ...nodeFields.filter(({ name }) => name !== 'expiresAt'),
    ],
  },
  setDelegation: { good: { allowed: true }, fields: [needed('allowed', ['true', 1, null, 'yes'])] },
  setRefill: {
    good: { refill: null },
    fields: [
      needed('refill', [
        1,
        'x',
        [],
        {},
        ...[{ below: 1 }, { to: '1.05' }, { perDay: '0.01' }, { more: '1' }].map((change) => ({
          below: '1',
          to: '2',
          perDay: '5',
          ...change,
        })),
      ]),
    ],
  },
  setCold: { good: { address: '11111111111111111111111111111111' }, fields: [needed('address', notWallets)] },
  prepareAllowance: {
    good: { allowance: '1' },
    fields: [
      needed('allowance', ['1e3', -1, null, '1.0000001']),
      { name: 'page', wrong: ['a'.repeat(65), 1, null] },
    ],
  },
  sendAllowance: { good: { transaction: 'AA==' }, fields: [needed('transaction', ['', 'a b', 1, null])] },
  pauseDrawing: {
    good: { paused: false },
    fields: [needed('paused', ['true', 1, null]), { name: 'page', wrong: ['a'.repeat(65), 1, null] }],
  },
  boostAgent: { good: { amount: '1' }, fields: boostFields },
  boostGroup: { good: { amount: '1' }, fields: boostFields },
  boostTreasury: { good: { amount: '1' }, fields: boostFields },
  boostFor: { good: {}, fields: boostFields.filter(({ name }) => name === 'until') },
  renameGroup: { good: { name: 'Research' }, fields: [needed('name', notNames)] },
  setGroupLimits: { good: {}, fields: nodeFields },
  setTreasuryLimits: { good: {}, fields: nodeFields },
  setAgentGroup: {
    good: { groupId: null },
    fields: [needed('groupId', [1, {}, [], true, '', 'grp_none'])],
  },
  setCeiling: {
    good: { dailyBudget: null },
    fields: [
      needed(
        'dailyBudget',
        notDecimals.filter((one) => one !== null),
      ),
    ],
  },
  withdraw: {
    good: { asset: 'USDC', to: '11111111111111111111111111111111', amount: '1' },
    fields: [
      needed('asset', [...notText, '', 'usdc', 'ETH']),
      needed('to', notWallets),
      needed('amount', notAmounts),
    ],
  },
  faucet: { good: { amount: '1' }, fields: [needed('amount', notAmounts)] },
  openSession: {
    good: { token: 'x' },
    fields: [
      field('token', [...notText, '', 'x'.repeat(257)]),
      field('passphrase', [...notText, 'x'.repeat(1_025), 'also one']),
      field('page', [...notText, '', 'x'.repeat(257), 'also one']),
    ],
  },
  admitPage: {
    good: { pageId: 'x'.repeat(22) },
    fields: [needed('pageId', [...notText, '', 'x'.repeat(21), 'x'.repeat(23), `${'x'.repeat(21)}!`])],
  },
  openLogin: {
    good: { terminal: 'x' },
    fields: [needed('terminal', notNames), field('passphrase', [...notText, 'x'.repeat(1_025)])],
  },
  claimLogin: {
    good: { pollSecret: 'x' },
    fields: [needed('pollSecret', [...notText, '', 'x'.repeat(257)])],
  },
  changePassphrase: {
    good: { current: 'x', next: 'y' },
    fields: [
      needed('current', [...notText, 'x'.repeat(1_025)]),
      needed('next', [...notText, 'x'.repeat(1_025)]),
    ],
  },
};
const withoutFields = [
  'watchUsual',
  'forgetCold',
  'stopDrawing',
  'resumeDrawing',
  ...linksWithoutFields,
  ...booksWithoutFields,
  'endBookRule',
  ...noticesWithoutFields,
  ...phonesWithoutFields,
  ...catalogWithoutFields,
  'archive',
  'archiveGroup',
  'endDelegatedKey',
  'endBoost',
  'stopGroup',
  'resumeGroup',
  'kill',
  'received',
  'revokeKey',
  'undoDenial',
  'unfreeze',
  'lock',
  'revokeGrant',
  'endSession',
  'backup',
  'grantLogin',
  'denyLogin',
  'checkPublicAddress',
] as const;

/** Of the activity, its totals and a statement. */
const filtered = [
  field('agentId', ['', '.a', 'a b', 'a&agentId=b']),
  field('serviceId', ['', 'x'.repeat(201)]),
  field('kind', ['', 'Payment', 'all', 'payment&kind=payment']),
  field('status', ['', 'approved', 'pending&status=pending']),
  field('from', ['yesterday', '2026-13-01']),
  field('to', ['yesterday', '2026-00-00']),
];

const queries: Queries = {
  ...catalogQueries,
  ...bookQueries,
  ...noticeQueries,
  ...phoneQueries,
  health: [
    field('nonce', ['', 'x', 'A'.repeat(32), '0'.repeat(31), '0'.repeat(33)]),
    field('key', ['', 'x', '0'.repeat(63), 'F'.repeat(64)]),
    field('page', ['', 'x', 'A'.repeat(21), 'A'.repeat(23), '.'.repeat(22)]),
  ],
  spendHistory: [field('limit', notPages), field('before', ['', '0', 'x', '-1', '1&before=1'])],
  listApprovals: [field('limit', notPages)],
  deposits: [field('limit', notPages), field('before', ['', '0', 'x'])],
  listWatch: [field('limit', notPages), field('before', ['', '0', 'x'])],
  getWatch: [field('limit', notPages), field('before', ['', '0', 'x'])],
  activity: [
    ...filtered,
    field('q', ['x'.repeat(201), 'a&q=b']),
    field('limit', notPages),
    field('before', ['', '0', 'x']),
  ],
  spending: [
    field('days', ['', '0', '-1', '1.5', 'x', '367', '1&days=2']),
    field('zone', ['', 'Mars/Base', 'UTC&zone=UTC']),
  ],
  totals: [...filtered, field('q', ['x'.repeat(201), 'a&q=b'])],
  statement: [
    field('format', ['', 'pdf', 'CSV', 'csv&format=csv']),
    ...filtered.filter(({ name }) => name !== 'from'),
    field('from', [...notMoments.filter((one) => typeof one === 'string'), '2026-01-01&from=2026-01-01']),
  ],
};

const pathOf = (name: RouteName): string =>
  routes[name].path.replaceAll(/:(\w+)/g, (_, id: string) => ids[id] ?? '');

/** A body may be written in several ways. */
const shapesOf = (body: Bodies[RouteName]): NonNullable<Bodies[RouteName]>[] =>
  body === undefined ? [] : [body, ...shapesOf(body.or)];

describe('the body of', () => {
  it('every route that reads one is covered here', () => {
    const writing = (Object.keys(routes) as RouteName[]).filter((name) => routes[name].method !== 'GET');
    expect([...Object.keys(bodies), ...withoutFields].toSorted()).toEqual(writing.toSorted());
    for (const [name, body] of Object.entries(bodies)) {
      const fields = shapesOf(body).flatMap((one) => one.fields);
      const schema = exchanges[name as RouteName].body;
      const shapes = 'options' in schema ? schema.options : [schema];
      const known = new Set(shapes.flatMap((one) => Object.keys((one as { shape: object }).shape)));
      expect([...new Set(fields.map((one) => one.name))].toSorted(), name).toEqual([...known].toSorted());
    }
  });

  it.each(Object.keys(bodies) as (keyof typeof bodies)[])(
    '%s is refused with any wrong field, which is named',
    async (name) => {
      const faults: (string | undefined)[] = [];
      let n = 0;
      const send = async (named: string, body: unknown): Promise<void> => {
        n += 1;
        const answer = await treasury.client.call(routes[name].method, pathOf(name), {
          body,
          key: `${name} ${n}`,
        });
        faults.push(fault(named, answer));
      };
      await unchanged(async () => {
        for (const { good, fields } of shapesOf(bodies[name])) {
          for (const { name: named, wrong, required } of fields) {
            const { [named]: _, ...rest } = good;
            if (required) await send(named, rest);
            for (const value of wrong) await send(named, { ...rest, [named]: value });
          }
          for (const unknown of ['nonsense', 'constructor', 'toString', 'owner', 'Amount', 'agent id'])
            await send(unknown, { ...good, [unknown]: '1' });
        }
      });
      expect(faults.filter((one) => one !== undefined)).toEqual([]);
    },
  );

  it.each(withoutFields)('%s is refused with any field', async (name) => {
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
      for (const name of Object.keys(bodies) as RouteName[]) {
        for (const body of texts) {
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
          const named = isUnion && body.startsWith('[') ? '' : 'body';
          faults.push(fault(named, answer));
        }
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
  it('every route that reads one is covered here', () => {
    for (const [name, { query }] of Object.entries(exchanges)) {
      const fields = (queries[name as RouteName] ?? []).map((one) => one.name);
      expect(fields.toSorted(), name).toEqual(Object.keys('shape' in query ? query.shape : {}).toSorted());
    }
  });

  it.each(Object.keys(queries) as RouteName[])(
    '%s is refused with any wrong field, which is named',
    async (name) => {
      const faults: (string | undefined)[] = [];
      for (const { name: named, wrong } of queries[name] ?? []) {
        for (const value of wrong) {
          const raw = String(value);
          const encoded = raw.includes('&') ? raw : encodeURIComponent(raw);
          const answer = await treasury.client.get(`${pathOf(name)}?${named}=${encoded}`);
          faults.push(fault(named, answer));
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
