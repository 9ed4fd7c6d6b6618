// Wrong input of the routes for notices.
import type { RouteName } from '../../server/contract/routes.ts';
import {
  field,
  needed,
  notDecimals,
  notNames,
  notPages,
  notText,
  type Bodies,
  type Queries,
} from './wrong-values.ts';

const notUrls = [...notText, '', 'example', 'ftp://a.example/', `https://a.example/${'x'.repeat(2_000)}`];
const notEmails = [
  ...notText,
  '',
  'a',
  'a@',
  'a@b.example\nBcc: c@d.example',
  `${'a'.repeat(250)}@b.example`,
];
const notSecrets = [
  ...notText,
  '',
  'whsec_',
  `whsec_${'A'.repeat(31)}`,
  `whsec_${'A'.repeat(28)}`,
  `${'A'.repeat(32)}`,
  `whsec_${'A'.repeat(88)}`,
  `whsec_${'?'.repeat(32)}`,
];
const notTopics = [...notText, '', 'a b', 'a/b', 'ä', 'x'.repeat(65)];
const notTokens = [...notText.filter((value) => value !== null), '', 'a b', 'a\nb', 'x'.repeat(256)];
const notKinds = [1, 'refused', null, {}, [1], ['Refused'], ['everything']];
const notFlags = [1, 'true', null, [], {}];

const place = [
  field('name', notNames),
  field('kinds', notKinds),
  field('url', notUrls),
  field('allowPrivate', notFlags),
  field('hasPhoneLinks', notFlags),
  field('secret', notSecrets),
  field('to', notEmails),
  field('server', notUrls),
  field('topic', notTopics),
  field('token', notTokens),
];

export const noticeBodies: Bodies = {
  addNoticeChannel: {
    good: { kind: 'webhook', url: 'https://a.example/', secret: `whsec_${'A'.repeat(32)}` },
    fields: [
      needed('kind', [...notText, '', 'Webhook', 'sms']),
      needed('url', notUrls),
      needed('secret', notSecrets),
      ...place.filter(({ name }) => name !== 'url' && name !== 'secret'),
    ],
    or: { good: { kind: 'ntfy', topic: 'a' }, fields: [needed('topic', notTopics), ...place] },
  },
  changeNoticeChannel: { good: {}, fields: place },
  setLowBalance: {
    good: { lowBalance: '1' },
    fields: [
      needed(
        'lowBalance',
        notDecimals.filter((value) => value !== null),
      ),
      field('agentId', [...notText, '', '.a', 'a b', 'a'.repeat(65)]),
    ],
  },
};
export const noticesWithoutFields = [
  'removeNoticeChannel',
  'testNoticeChannel',
  'retryNotice',
] as const satisfies readonly RouteName[];

export const noticeQueries: Queries = {
  listNotices: [
    field('limit', [...notPages, '101']),
    field('before', ['', '0', 'x']),
    field('failed', ['', '1', 'yes', 'TRUE', 'true&failed=true']),
  ],
};
