// The host’s parts that sign-in uses.
import type { Network, Store } from '../engine/ports.ts';
import type { Log } from '../log.ts';
import type { Door, OwnOrigins } from '../lib/net/public-url.ts';
import type { AskingLink } from './email.ts';

export interface SignInDeps {
  /** This host's addresses; the link page is `/link` below each. */
  ownOrigins: OwnOrigins;
  network: Network;
  store: Pick<Store, 'identities' | 'signIn' | 'wallets' | 'atomically'>;
  /** In the vault; both throw AppError `locked`. */
  secrets: { get(name: string): Buffer | undefined; set(name: string, bytes: Uint8Array): void };
  /** @throws AppError `not_found`, the same for an unknown, ended or decided link session */
  linkOf(token: string): AskingLink;
  /** Whether the vault has a passphrase, which proves the owner, and the owner may sign in at this door. */
  hasPassphrase(door: Door): Promise<boolean>;
  newId(prefix: string): string;
  log: Log;
  /** Unix milliseconds. */
  now?: () => number;
}
