// Wrong input of the routes for link sessions and sign-in.
import type { RouteName } from '../../server/contract/routes.ts';
import {
  field,
  needed,
  notDecimals,
  notNames,
  notNumbers,
  notText,
  notWallets,
  type Bodies,
} from './wrong-values.ts';

const notAgents = [...notText, '', '.a', 'a b', 'ä', 'a'.repeat(65)];
const notEmails = [...notText, '', 'a', 'a@', '@b', 'a b@c.example', `${'a'.repeat(250)}@b.example`];
const notFlags = [1, 'true', null, [], {}];
const agentToLink = {
  good: { agentId: 'linked' },
  fields: [
    needed('agentId', notAgents),
    field('dailyBudget', notDecimals),
    field('maxPerPayment', notDecimals),
    field('furtherKey', notFlags),
  ],
};
const server = { host: 'mail.example', port: 465, security: 'tls', user: null, from: 'a@b.example' };
const provider = { name: 'x', issuer: 'https://id.example', clientId: 'x' };
const otherwise = (good: object, changes: Readonly<Record<string, readonly unknown[]>>): unknown[] =>
  Object.entries(changes).flatMap(([name, values]) => values.map((value) => ({ ...good, [name]: value })));

const notPublicUrls = [
  ...notText.filter((one) => one !== null),
  '',
  'treasury.example.ts.net',
  'http://treasury.example.ts.net',
  'https://',
  'https://owner@treasury.example.ts.net',
  'https://treasury.example.ts.net/path',
  'https://treasury.example.ts.net/?a',
  'https://treasury.example.ts.net#a',
  'https://treasury.example.ts.net.',
  'https://localhost',
  'https://a.localhost',
  'https://127.0.0.1',
  'https://127.1',
  'https://2130706433:4402',
  'https://0.0.0.0',
  'https://[::1]',
  'https://[::]',
  'https://[::ffff:127.0.0.1]',
  `https://${'a'.repeat(300)}.example`,
];

export const linkBodies: Bodies = {
  setPublicAddress: {
    good: { ownerSessions: false },
    fields: [field('url', notPublicUrls), field('ownerSessions', notFlags)],
  },
  openLink: { good: {}, fields: [field('machine', notNames), field('agentId', notAgents)] },
  completeLink: agentToLink,
  grantLink: agentToLink,
  proveWallet: {
    good: { address: '1'.repeat(32), message: 'AAAA', signature: 'AAAA' },
    fields: [
      needed('address', notWallets),
      needed('message', [...notText, '€', 'A'.repeat(8_196)]),
      needed('signature', [...notText, '€', 'A'.repeat(132)]),
    ],
  },
  askEmail: { good: { email: 'a@b.example' }, fields: [needed('email', notEmails)] },
  proveEmail: {
    good: { code: '123456' },
    fields: [
      field('code', [...notText, '', '12345', '1234567', '12345a', '１２３４５６']),
      field('secret', [...notText, '', 'x'.repeat(257), 'also one']),
    ],
  },
  proveProvider: {
    good: { state: 'x', callback: 'code=x' },
    fields: [
      needed('state', [...notText, '', 'x'.repeat(257)]),
      needed('callback', [...notText, 'x'.repeat(8_193)]),
    ],
  },
  addIdentity: {
    good: { kind: 'wallet', subject: '1'.repeat(32) },
    fields: [
      needed('kind', [...notText, '', 'Wallet', 'owner']),
      needed('subject', notWallets),
      field('label', notNames),
    ],
  },
  setMailServer: {
    good: { mailServer: null },
    fields: [
      needed('mailServer', [
        ...notText.filter((value) => value !== null),
        ...otherwise(server, {
          host: [...notText, '', 'a b', 'http://a'],
          port: [...notNumbers, 0, 65_536],
          security: [...notText, 'ssl'],
          from: notEmails,
          more: [1],
        }),
      ]),
    ],
  },
  testMailServer: { good: { to: 'a@b.example' }, fields: [needed('to', notEmails)] },
  setProvider: {
    good: { provider: null },
    fields: [
      needed('provider', [
        ...notText.filter((value) => value !== null),
        ...otherwise(provider, {
          name: notNames,
          issuer: [...notText, '', 'id.example', 'ftp://id.example'],
          clientId: [...notText, '', 'x'.repeat(501)],
          clientSecret: [...notText, 'x'.repeat(1_025)],
          more: [1],
        }),
      ]),
    ],
  },
};
export const linksWithoutFields = [
  'denyLink',
  'askWallet',
  'askProvider',
  'removeIdentity',
] as const satisfies readonly RouteName[];
