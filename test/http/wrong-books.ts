// Wrong input of the routes for the books.
import type { RouteName } from '../../server/contract/routes.ts';
import {
  field,
  needed,
  notMoments,
  notText,
  notWallets,
  type Bodies,
  type Field,
  type Queries,
} from './wrong-values.ts';

const notAccounts = [
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
];
const nullable = (values: readonly unknown[]): unknown[] => values.filter((value) => value !== null);
const notOrigins = [
  ...nullable(notText),
  '',
  'api.example.com',
  'https://api.example.com/',
  'https://api.example.com/x',
  'mailto:a@b.example',
];
const notRanks = ['1', '', null, true, [], 1.5, -1, 1e300];
const notMonths = [...notText, '', '2026', '2026-13', '2026-00', '2026-1', '2026-11-01', 'last'];

const conditions: Field[] = [
  field('payee', nullable(notWallets)),
  field('serviceId', [...nullable(notText), '', 'x'.repeat(201), 'a\nb']),
  field('origin', notOrigins),
  field('agentId', [...nullable(notText), '', 'a b', 'nobody\u0000']),
  field('groupId', nullable(notText)),
  field('rank', notRanks),
];
const notCentres = [...nullable(notText), '', '   ', 'x'.repeat(61)];

export const bookBodies: Bodies = {
  addBookRule: {
    good: { serviceId: 'sandbox-weather', account: 'Expenses:Research' },
    fields: [...conditions, needed('account', notAccounts), field('costCentre', notCentres)],
  },
  changeBookRule: {
    good: { account: 'Expenses:Research' },
    fields: [...conditions, field('account', notAccounts), field('costCentre', notCentres)],
  },
  setAnchors: { good: { on: true }, fields: [needed('on', [1, 'true', null, [], {}])] },
  previewBookRule: {
    good: { serviceId: 'sandbox-weather' },
    fields: [...conditions, field('month', notMonths)],
  },
};

export const bookQueries: Queries = {
  anchoredStatement: [field('from', ['yesterday', '2026-13-01']), field('to', ['1969-12-31', '9000-01-01'])],
  books: [
    field('format', ['', 'pdf', 'Koinly', 'koinly&format=koinly']),
    field('from', [...notMoments.filter((one) => typeof one === 'string'), '2026-01-01&from=2026-01-01']),
    field('to', ['yesterday', '2026-00-00']),
    field('continues', ['', '1', 'yes']),
    field('exportId', ['', 'x', 'A'.repeat(36)]),
    field('gzip', ['', '1', 'yes']),
  ],
};

export const booksWithoutFields: readonly RouteName[] = ['closeMonth'];
