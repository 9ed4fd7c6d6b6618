// The label of each kind of identity, and of its field.
import type { Reply } from '../../../../server/contract/schemas.ts';

export type Identity = Reply<'getSignIn'>['identities'][number];
export type IdentityKind = Identity['kind'];

export const kinds: Record<IdentityKind, { label: string; subject: string; placeholder: string }> = {
  wallet: { label: 'Wallet', subject: 'Address of the wallet', placeholder: '' },
  email: { label: 'E-mail', subject: 'E-mail address', placeholder: 'you@example.com' },
  provider: { label: 'Account', subject: 'E-mail address, or “sub”', placeholder: 'you@example.com' },
};
