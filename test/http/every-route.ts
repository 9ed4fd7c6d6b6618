// What a call of any route needs: everything that its path names, and a valid body with wrong values for each field.
import { Keypair } from '@solana/web3.js';
import { byKind, fieldEntries, limitFields } from '../../server/contract/policy-fields.ts';
import { deploy, until, type Treasury } from '../harness/treasury.ts';
import { newPhone, registerPhone } from '../harness/phone.ts';
import { catalogBodies, catalogWithoutFields } from './wrong-catalog.ts';
import { linkBodies, linksWithoutFields } from './wrong-links.ts';
import { phoneBodies, phonesWithoutFields } from './wrong-phones.ts';
import { bookBodies, booksWithoutFields } from './wrong-books.ts';
import { noticeBodies, noticesWithoutFields } from './wrong-notices.ts';
import {
  field,
  needed,
  type Bodies,
  notText,
  notNumbers,
  notDecimals,
  notAmounts,
  notWallets,
  notServices,
  notCurrencies,
  notNames,
  notMoments,
} from './wrong-values.ts';

/** By the parameters of paths. */
export type Names = Record<string, string>;

/** Makes one of everything that a path can name, by an agent `payer`. */
export const namesIn = async (treasury: Treasury): Promise<Names> => {
  const agent = await deploy(treasury.client, 'payer', { policy: { approveAbove: '0.5' } });
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
  const names = {
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
  return names;
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
export const bodies: Bodies = {
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
  keepPhrase: {
    good: { address: 'GwPD' },
    fields: [needed('address', [...notText, 'abc', 'x'.repeat(45)])],
  },
};
/** Routes whose body has no field. */
export const withoutFields = [
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
