// Wrong values of each field that a route of the contract reads, by the field's name, and a right value where it is needed.
// A new route is covered by being declared, unless it brings a field of a new name or another meaning of a name.
import { byKind, fieldEntries } from '../../../server/contract/limits/policy-fields.ts';
import { priceFieldNames } from '../../../server/contract/models/suppliers.ts';
import type { RouteName } from '../../../server/contract/routes.ts';
import { exchanges } from '../../../server/contract/schemas.ts';
import {
  notAgents,
  notAmounts,
  notCurrencies,
  notDecimals,
  notEmails,
  notFlags,
  notHashes,
  notMoments,
  notNames,
  notNumbers,
  notPages,
  notServices,
  notText,
  notTimes,
  notUrls,
  notWallets,
} from './wrong-values.ts';

/** `name`, or `route.name` where that route means something else by it, or `route(kind).name` for one kind of body. */
type ByField = Readonly<Record<string, readonly unknown[]>>;

const noObjects = [1, 'x', true, null, []];
const long = (most: number): string => 'x'.repeat(most + 1);
const textUpTo = (most: number): unknown[] => [...notText, long(most)];
const nameUpTo = (most: number): unknown[] => [...textUpTo(most), ''];
const reasons = textUpTo(280);
const passphrases = textUpTo(1_024);
const otherwise = (good: object, changes: ByField): unknown[] =>
  Object.entries(changes).flatMap(([name, values]) => values.map((value) => ({ ...good, [name]: value })));

const policy = Object.fromEntries(
  fieldEntries.map(([name, entry]) => [
    name,
    byKind<unknown[]>(entry, {
      amount: () => notDecimals,
      seconds: ({ least, most }) => [...notNumbers, least - 1, most + 1],
      count: ({ least, most }) => [...notNumbers, least - 1, most + 1],
      services: () => [1, 'x', null, {}, Array(201).fill('x'), ...notServices.map((one) => [one])],
      models: () => [
        1,
        'x',
        null,
        {},
        Array(101).fill('x'),
        ...['', 'a b', '**', 'a*b', 1].map((one) => [one]),
      ],
      choice: () => [...notText, '', 'deny', 'ALLOW'],
      time: () => notTimes,
      serviceLimits: () => [
        ...notText,
        [],
        {},
        'maps 1/day',
        ...notServices.filter((id) => typeof id === 'string').map((id) => ({ [id]: { dailyBudget: '1' } })),
        ...[{}, 1, { weeklyBudget: '1' }, { dailyBudget: null }].map((limit) => ({ maps: limit })),
        ...notDecimals.map((dailyBudget) => ({ maps: { dailyBudget } })),
        Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`s${at}`, { dailyBudget: '1' }])),
      ],
      hours: () => [
        ...notText,
        'mon-fri 08:00-19:00',
        ...otherwise(
          { days: [1], from: '08:00', to: '09:00' },
          {
            days: [[], [0], [8], ['1'], 1],
            from: ['24:00', '8:00'],
            to: ['08:00', undefined],
            more: [1],
          },
        ),
      ],
    }),
  ]),
);

const standing = [
  1,
  'x',
  null,
  true,
  [],
  {},
  { upTo: '1' },
  { until: '2030-01-01' },
  ...otherwise({ upTo: '1', until: '2030-01-01' }, { upTo: notAmounts, until: notMoments, more: [1] }),
];
const boostEnds = [...notMoments, '2020-01-01', '2999-01-01'];

const wrong: ByField = {
  ...policy,
  'delegateKey.expiresAt': boostEnds,
  account: [
    ...notText,
    '',
    'Expenses',
    'expenses:Research',
    'Costs:Research',
    'Expenses:',
    'Expenses:research',
    'Expenses::Research',
    'Expenses:A B',
    'Expenses:A;B',
    'Expenses:A\nB',
    'Assets:Treasury:Scout',
    'Assets:Treasury',
    `Expenses:${'A'.repeat(120)}`,
  ],
  address: notWallets,
  'keepPhrase.address': [...notText, 'abc', 'x'.repeat(45)],
  afterMs: [null, -1, 1.5, 60_001, '1', true],
  agentId: notAgents,
  allowance: ['1e3', -1, null, '1.0000001'],
  allowed: ['true', 1, null, 'yes'],
  allowPrivate: notFlags,
  amount: notAmounts,
  ...Object.fromEntries(
    ['boostAgent', 'boostGroup', 'boostTreasury', 'addModelInvoice', 'correctModelRequest'].map((one) => [
      `${one}.amount`,
      notDecimals,
    ]),
  ),
  'withdraw(SOL).amount': [...notText, '', '0', '-1', '1e3', '1.1234567891'],
  apiKey: nameUpTo(256),
  asset: [...notText, '', 'usdc', 'ETH'],
  atOnce: [...notNumbers, 0, 17],
  baseUrl: notUrls,
  blocked: notFlags,
  body: [...notText, 'with GET'],
  callback: textUpTo(8_192),
  code: [...notText, '', '12345', '1234567', '12345a', '１２３４５６'],
  color: [1, true, [], {}, ['x'], '', 'beige'],
  command: [1, 'x', true, null, {}, [], [1], ['a\nb'], [long(1_000)], Array(101).fill('x')],
  costCentre: [...nameUpTo(60), '   '],
  currency: notCurrencies,
  current: passphrases,
  demand: noObjects,
  description: reasons,
  displayName: notNames,
  email: notEmails,
  enabled: notFlags,
  extensions: noObjects,
  extraFields: [1, true, {}, 'x', [1], [''], ['a b'], ['x'.repeat(65)], Array(51).fill('x')],
  factor: [...notDecimals, '0.9', '10.1'],
  furtherKey: notFlags,
  ...Object.fromEntries(priceFieldNames.map((name) => [name, notDecimals])),
  groupId: [1, {}, [], true],
  'setAgentGroup.groupId': [1, {}, [], true, '', 'grp_none'],
  hasPhoneLinks: notFlags,
  hash: notHashes,
  'grantApproval.hash': notText,
  headers: [
    1,
    'x',
    true,
    null,
    [],
    { host: 'x' },
    { 'X-Payment': 'x' },
    { 'payment-signature': 'x' },
    { connection: 'close' },
    { a: 1 },
    { a: 'b\r\nc: d' },
    { 'a b': 'c' },
    Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`a${index}`, 'x'])),
  ],
  invoice: [...nameUpTo(64), 'a b', 'ä'],
  isDefault: notFlags,
  kind: [...notText, '', 'Wallet', 'Webhook', 'owner', 'sms'],
  kinds: [1, 'refused', null, {}, [1], ['Refused'], ['everything']],
  label: notNames,
  limits: [1, 'x', [], null, { nonsense: 1 }, { dailyBudget: 1 }, { activeHours: {} }],
  lowBalance: notDecimals,
  machine: notNames,
  mailServer: [
    ...notText,
    ...otherwise(
      { host: 'mail.example', port: 465, security: 'tls', user: null, from: 'a@b.example' },
      {
        host: [...notText, '', 'a b', 'http://a'],
        port: [...notNumbers, 0, 65_536],
        security: [...notText, 'ssl'],
        from: notEmails,
        more: [1],
      },
    ),
  ],
  maxAmount: notAmounts,
  maxOutput: [...notNumbers.filter((value) => value !== null), 0, 10_000_001],
  maxBytes: [...notNumbers, 0, 64 * 1024 * 1024 + 1],
  message: [...notText, '€', 'A'.repeat(8_196)],
  method: [...notText, '', 'get', 'HEAD', 'CONNECT', 'TRACE'],
  mode: [...notText, '', 'asks'],
  modelId: notServices,
  month: [...notText, '', '2026', '2026-13', '2026-00', '2026-1', '2026-11-01', 'last'],
  name: notNames,
  'addMcpServer.name': [...notText, '', '-x', 'a b', 'x'.repeat(65), 'mcp:x'],
  next: passphrases,
  nonce: [...notText, '', '0'.repeat(31), '0'.repeat(33), 'F'.repeat(32)],
  now: notFlags,
  on: notFlags,
  origin: [
    ...notText,
    '',
    'api.example.com',
    'https://api.example.com/',
    'https://api.example.com/x',
    'mailto:a@b.example',
  ],
  ownerSessions: notFlags,
  page: ['a'.repeat(65), 1, null],
  'openSession.page': [...nameUpTo(256), 'also one'],
  pageId: [...notText, '', 'x'.repeat(21), 'x'.repeat(23), `${'x'.repeat(21)}!`],
  passphrase: passphrases,
  'openSession.passphrase': [...passphrases, 'also one'],
  paused: ['true', 1, null],
  payee: notWallets,
  payees: [
    ...notText,
    [],
    [1],
    ['x'],
    ['0x209693Bc6afc0C5328bA36FaF03C514EF312287C'],
    Array(101).fill('11111111111111111111111111111112'),
  ],
  perApproval: notDecimals,
  perDay: notDecimals,
  picture: [1, true, [], {}, '', 'xxxxx'],
  pollSecret: nameUpTo(256),
  pricing: [1, 'x', null, [], { '8k': '1' }, ...notAmounts.map((price) => ({ '1k': price }))],
  prompt: [...nameUpTo(4_000), ' \n'],
  provider: [
    ...notText,
    ...otherwise(
      { name: 'x', issuer: 'https://id.example', clientId: 'x' },
      {
        name: notNames,
        issuer: [...notText, '', 'id.example', 'ftp://id.example'],
        clientId: nameUpTo(500),
        clientSecret: textUpTo(1_024),
        more: [1],
      },
    ),
  ],
  rail: [...notText, '', 'eth', 'ethereum', 'SOL'],
  rank: ['1', '', null, true, [], 1.5, -1, 1e300],
  reason: reasons,
  refill: [
    1,
    'x',
    [],
    {},
    ...otherwise(
      { below: '1', to: '2', perDay: '5' },
      { below: [1], to: ['1.05'], perDay: ['0.01'], more: ['1'] },
    ),
  ],
  request: [...notText, '', 'a'.repeat(63), 'A'.repeat(64)],
  requestId: notText,
  resolution: [...notText, '', '1K', '8k'],
  resource: [...notText, '', 'example.com', 'mcp:', 'mcp:a b', 'mcp://x', 'file:///etc/passwd'],
  rule: [...notText, '', 'runs'],
  secret: [
    ...notText,
    '',
    'whsec_',
    ...[31, 28, 88].map((length) => `whsec_${'A'.repeat(length)}`),
    'A'.repeat(32),
    `whsec_${'?'.repeat(32)}`,
  ],
  'proveEmail.secret': [...nameUpTo(256), 'also one'],
  server: notUrls,
  service: notServices,
  'endWatchMute.service': textUpTo(200),
  serviceId: [...nameUpTo(200), 'a\nb'],
  signature: [...notText, '€', 'A'.repeat(132)],
  'registerPhoneWallet.signature': [...notText, '%'],
  standing,
  state: nameUpTo(256),
  subject: notWallets,
  'addIdentity(email).subject': notEmails,
  'addIdentity(provider).subject': nameUpTo(255),
  askBefore: [1, true, null, {}, 'x', [1], ['x']],
  refundOf: [...notText, '', 'x', '0'.repeat(88)],
  sales: ['', 1, {}, [], [1], [{}], [{ amount: '1' }]],
  supplierId: notText,
  tags: [1, true, null, {}, 'x', [1], [''], ['x'.repeat(25)], Array(9).fill('x')],
  terminal: notNames,
  timeoutSeconds: [...notNumbers, 0, 3_601],
  timeZone: [...notText, '', 'Mars/Olympus', 'x'.repeat(65)],
  to: notEmails,
  'withdraw.to': notWallets,
  token: [...nameUpTo(255), 'a b', 'a\nb'],
  'openSession.token': nameUpTo(256),
  topic: [...notText, '', 'a b', 'a/b', 'ä', 'x'.repeat(65)],
  transaction: ['', 'a b', 1, null],
  tripId: notText,
  trusted: notFlags,
  until: boostEnds,
  url: notUrls,
  usedSince: [null, 1, 'scout', [], ['1'], { scout: 'x' }, { scout: -1 }, { scout: null }, { nobody: '1' }],
  'fetch.url': [...notUrls, 'example.com', '/path', 'https://example.com./'],
  'setPublicAddress.url': [
    ...notText,
    '',
    'treasury.example.ts.net',
    'http://treasury.example.ts.net',
    'https://',
    'https://localhost',
    ...['/path', '/?a', '#a', '.'].map((end) => `https://treasury.example.ts.net${end}`),
    'https://owner@treasury.example.ts.net',
    'https://a.localhost',
    'https://127.0.0.1',
    'https://127.1',
    'https://2130706433:4402',
    'https://0.0.0.0',
    'https://[::1]',
    'https://[::]',
    'https://[::ffff:127.0.0.1]',
    `https://${'a'.repeat(300)}.example`,
  ],
  x402: [1, 'x', true, null, [], [{}]],
};

const twice = (value: string, name: string): string => `${value}&${name}=${value}`;
const notBefore = ['', '0', 'x'];
const notDays = notMoments.filter((one) => typeof one === 'string');

const wrongInQueries: ByField = {
  agentId: ['', '.a', 'a b', twice('a', 'agentId')],
  before: [...notBefore, '-1', twice('1', 'before')],
  by: ['', 'week', twice('day', 'by')],
  'listTasks.before': notBefore,
  'gallery.before': notBefore,
  'listNotices.before': notBefore,
  category: [long(100), twice('a', 'category')],
  continues: ['', '1', 'yes'],
  days: ['', '0', '-1', '1.5', 'x', '367', twice('1', 'days')],
  exportId: ['', 'x', 'A'.repeat(36)],
  failed: ['', '1', 'yes', 'TRUE', twice('true', 'failed')],
  format: ['', 'pdf', 'CSV', 'Koinly', twice('csv', 'format')],
  'books.format': ['', 'pdf', 'Koinly', twice('koinly', 'format')],
  from: [...notDays, twice('2026-01-01', 'from')],
  gzip: ['', '1', 'yes'],
  key: ['', 'x', '0'.repeat(63), 'F'.repeat(64)],
  kind: ['', 'Payment', 'all', twice('payment', 'kind')],
  least: ['', '0', '-1', 'x', '0.0000001'],
  limit: notPages,
  'listTasks.limit': [...notPages, '101'],
  'gallery.limit': [...notPages, '101'],
  'listNotices.limit': [...notPages, '101'],
  'modelUsage.limit': [...notPages, '201'],
  'allModelUsage.limit': [...notPages, '201'],
  nonce: ['', 'x', 'A'.repeat(32), '0'.repeat(31), '0'.repeat(33)],
  outcome: ['', 'Paid', 'confirmed', twice('paid', 'outcome')],
  page: ['', 'x', 'A'.repeat(21), 'A'.repeat(23), '.'.repeat(22)],
  q: [long(200), twice('a', 'q')],
  serviceId: ['', long(200)],
  size: ['', 'large', twice('small', 'size')],
  skip: ['', '-1', '1.5', 'x', twice('1', 'skip')],
  sort: ['', 'cheapest', twice('price', 'sort')],
  source: ['', 'native', twice('svc-native', 'source')],
  status: ['', 'approved', twice('pending', 'status')],
  'listTasks.status': ['', 'Queued', 'done', twice('queued', 'status')],
  'gallery.status': ['', 'Queued', 'done', twice('queued', 'status')],
  to: [...notDays, '2026-00-00'],
  'anchoredStatement.to': ['1969-12-31', '9000-01-01'],
  zone: ['', 'Mars/Base', twice('UTC', 'zone')],
};

const address = '11111111111111111111111111111111';
/** Right values of the fields that a body needs, by the same names. */
const right: Readonly<Record<string, unknown>> = {
  account: 'Expenses:Research',
  address,
  'keepPhrase.address': 'GwPD',
  agentId: 'new',
  allowance: '1',
  allowed: true,
  amount: '1',
  callback: 'code=x',
  command: ['npx', 'weather'],
  currency: 'USDC',
  current: 'x',
  dailyBudget: '1',
  'setCeiling.dailyBudget': null,
  demand: { x402Version: 2, accepts: [] },
  displayName: 'x',
  email: 'a@b.example',
  get expiresAt() {
    return new Date(Date.now() + 3_600_000).toISOString();
  },
  groupId: null,
  hash: '0'.repeat(64),
  'addModelSupplier.kind': 'openai',
  label: 'x',
  lowBalance: '1',
  mailServer: null,
  maxPerPayment: '1',
  message: 'AAAA',
  mode: 'ask',
  modelId: 'gpt',
  name: 'weather',
  next: 'y',
  nonce: '0'.repeat(32),
  on: true,
  pageId: 'x'.repeat(22),
  paused: false,
  payees: ['11111111111111111111111111111112'],
  pollSecret: 'x',
  prompt: 'x',
  provider: null,
  refill: null,
  request: 'a'.repeat(64),
  resolution: '1k',
  resource: 'https://example.com/',
  rule: 'runaway',
  sales: [{ txSignature: '2'.repeat(88), recipient: address, amount: '1', name: '' }],
  secret: `whsec_${'A'.repeat(32)}`,
  service: 'sandbox-weather',
  signature: 'AAAA',
  state: 'x',
  subject: address,
  'addIdentity(email).subject': 'a@b.example',
  supplierId: 'own',
  terminal: 'x',
  timeZone: 'Europe/Lisbon',
  to: 'a@b.example',
  'withdraw.to': address,
  requestId: 'mod_1',
  topic: 'a',
  transaction: 'AA==',
  url: 'https://127.0.0.1:2/',
  'fetch.url': 'https://example.com/',
  x402: { scheme: 'exact' },
};
/** Fields that may be left out, though not all of them at once. */
const alsoIn: Partial<Record<RouteName, Record<string, unknown>>> = {
  addBookRule: { serviceId: 'sandbox-weather' },
  delegateKey: { dailyBudget: '1' },
  openSession: { token: 'x' },
  previewBookRule: { serviceId: 'sandbox-weather' },
  proveEmail: { code: '123456' },
  setPublicAddress: { ownerSessions: false },
};

export interface Field {
  name: string;
  wrong: readonly unknown[];
  isNeeded: boolean;
}
/** One way to write a body. */
export interface Shape {
  good: Record<string, unknown>;
  fields: readonly Field[];
}

/** What is used here of a schema of zod. */
interface Schema {
  shape?: Record<string, Schema>;
  options?: readonly Schema[];
  def: { type: string; values?: readonly unknown[] };
  safeParse(value: unknown): { success: boolean };
}
const accepts = (schema: Schema, value: unknown): boolean => schema.safeParse(value).success;
const kindIn = (shape: Record<string, Schema>): unknown =>
  Object.values(shape).find(({ def }) => def.type === 'literal')?.def.values?.[0];

/** @throws for a field that has no values here: add them above */
const valueFor = <T>(table: Readonly<Record<string, T>>, field: string, route: string, kind: unknown): T => {
  const key = [`${route}(${String(kind)}).${field}`, `${route}.${field}`, field].find((one) => one in table);
  if (key === undefined) throw new Error(`wrong-input.ts has no values for the field ${field} of ${route}`);
  return table[key] as T;
};

const fieldsOf = (route: RouteName, shape: Record<string, Schema>, table: ByField): Field[] =>
  Object.entries(shape).map(([name, schema]) => ({
    name,
    isNeeded: !accepts(schema, undefined),
    wrong: valueFor(table, name, route, kindIn(shape)).filter(
      (value) => value !== null || !accepts(schema, null),
    ),
  }));

/** Each way to write the body of a route. */
export const shapesOf = (route: RouteName): Shape[] => {
  const body = exchanges[route].body as unknown as Schema;
  return (body.options ?? [body]).map(({ shape = {} }) => {
    const fields = fieldsOf(route, shape, wrong);
    const kind = kindIn(shape);
    const good = fields
      .filter(({ isNeeded }) => isNeeded)
      .map(({ name }): [string, unknown] => [
        name,
        shape[name]?.def.type === 'literal' ? kind : valueFor(right, name, route, kind),
      ]);
    const also = Object.entries(alsoIn[route] ?? {}).filter(([name]) => name in shape);
    return { good: Object.fromEntries([...good, ...also]), fields };
  });
};

export const fieldsOfQuery = (route: RouteName): Field[] =>
  fieldsOf(route, (exchanges[route].query as unknown as Schema).shape ?? {}, wrongInQueries);
