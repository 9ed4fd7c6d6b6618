// Wrong input of the routes for services, models and pictures.
import type { RouteName } from '../../server/contract/routes.ts';
import {
  field,
  needed,
  notAmounts,
  notNames,
  notNumbers,
  notPages,
  notServices,
  notText,
  type Bodies,
  type Queries,
} from './wrong-values.ts';

const notUrls = [
  ...notText,
  '',
  'weather',
  'ftp://a.example/',
  'javascript:1',
  `https://a.example/${'x'.repeat(2_000)}`,
];
const notHashes = [...notText, '', 'x', 'A'.repeat(64), '0'.repeat(63)];
const page = [field('limit', [...notPages, '101']), field('before', ['', '0', 'x'])];
const notStatuses = ['', 'Queued', 'done', 'queued&status=queued'];

export const catalogBodies: Bodies = {
  previewService: {
    good: { url: 'https://a.example/' },
    fields: [needed('url', notUrls), field('name', notNames)],
  },
  addService: {
    good: { url: 'https://a.example/', hash: '0'.repeat(64) },
    fields: [needed('url', notUrls), needed('hash', notHashes), field('name', notNames)],
  },
  setServiceRule: {
    good: {},
    fields: [field('blocked', [1, 'true', null, [], {}]), field('trusted', [1, 'true', null, [], {}])],
  },
  addSource: {
    good: { url: 'https://127.0.0.1:2/' },
    fields: [needed('url', notUrls), field('name', notNames)],
  },
  addMcpServer: {
    good: { name: 'weather', command: ['npx', 'weather'] },
    fields: [
      needed('name', [...notText, '', '-x', 'a b', 'x'.repeat(65), 'mcp:x']),
      needed('command', [
        1,
        'x',
        true,
        null,
        {},
        [],
        [1],
        ['a\nb'],
        ['x'.repeat(1_001)],
        Array(101).fill('x'),
      ]),
    ],
  },
  acceptPayees: {
    good: { payees: ['11111111111111111111111111111112'] },
    fields: [
      needed('payees', [
        ...notText,
        [],
        [1],
        ['x'],
        ['0x209693Bc6afc0C5328bA36FaF03C514EF312287C'],
        Array(101).fill('11111111111111111111111111111112'),
      ]),
    ],
  },
  setModel: {
    good: {},
    fields: [
      field('enabled', [1, 'true', null, [], {}]),
      field('pricing', [1, 'x', null, [], { '8k': '1' }, ...notAmounts.map((price) => ({ '1k': price }))]),
    ],
  },
  setImageProvider: {
    good: {},
    fields: [
      field('apiKey', [...notText.filter((value) => value !== null), '', 'x'.repeat(257)]),
      field(
        'baseUrl',
        notUrls.filter((value) => value !== null),
      ),
      field('atOnce', [...notNumbers, 0, 17]),
    ],
  },
  generate: {
    good: { prompt: 'x', modelId: 'gpt', resolution: '1k' },
    fields: [
      needed('prompt', [...notText, '', ' \n', 'x'.repeat(4_001)]),
      needed('modelId', notServices),
      needed('resolution', [...notText, '', '1K', '8k']),
      field('reason', [...notText, 'x'.repeat(281)]),
    ],
  },
};
export const catalogWithoutFields = [
  'removeService',
  'refreshSource',
  'removeSource',
  'cancelTask',
] as const satisfies readonly RouteName[];

export const catalogQueries: Queries = {
  searchServices: [
    field('q', ['x'.repeat(201), 'a&q=b']),
    field('source', ['', 'native', 'svc-native&source=svc-native']),
    field('category', ['x'.repeat(101), 'a&category=b']),
    field('sort', ['', 'cheapest', 'price&sort=price']),
    field('limit', notPages),
    field('skip', ['', '-1', '1.5', 'x', '1&skip=1']),
  ],
  listTasks: [field('status', notStatuses), ...page],
  gallery: [field('status', notStatuses), field('agentId', ['', '.a', 'a&agentId=b']), ...page],
  picture: [field('size', ['', 'large', 'small&size=small'])],
};
