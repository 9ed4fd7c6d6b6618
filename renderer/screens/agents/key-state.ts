// Whether an API key is still valid.
import type { Reply } from '../../../server/contract/schemas.ts';

export type Key = Reply<'listKeys'>['keys'][number];
export type KeyState = 'in force' | 'ending' | 'ended' | 'revoked';

export const keyStateOf = ({ expiresAt, revokedAt }: Key, now: number): KeyState => {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'in force';
  return Date.parse(expiresAt) > now ? 'ending' : 'ended';
};
