// Wrong input of the routes for the owner's phones.
import type { RouteName } from '../../server/contract/routes.ts';
import {
  field,
  needed,
  notDecimals,
  notNames,
  notPages,
  notText,
  notWallets,
  type Bodies,
  type Queries,
} from './wrong-values.ts';

const address = '11111111111111111111111111111111';
const limits = [
  field('perApproval', notDecimals),
  field('perDay', notDecimals),
  field('passphrase', [...notText, 'x'.repeat(1_025)]),
];

export const phoneBodies: Bodies = {
  phoneWalletText: { good: { address }, fields: [needed('address', notWallets)] },
  registerPhoneWallet: {
    good: { name: 'Phone', address, nonce: '0'.repeat(32), signature: 'AAAA' },
    fields: [
      needed('name', notNames),
      needed('address', notWallets),
      needed('nonce', [...notText, '', '0'.repeat(31), '0'.repeat(33), 'F'.repeat(32)]),
      field('signature', [...notText, '%']),
      ...limits,
    ],
  },
  setPhoneWalletLimits: { good: {}, fields: limits },
};
export const phonesWithoutFields = ['removePhoneWallet'] as const satisfies readonly RouteName[];

export const phoneQueries: Queries = { listPhoneWords: [field('limit', notPages)] };
