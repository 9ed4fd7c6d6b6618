// Link sessions, identities and sign-in in the store.
import type { Identity, Link, PublicAddressSettings, SignInSettings } from '../../domain/link.ts';

export interface LinkStore {
  insert(link: Link): void;
  get(id: string): Link | undefined;
  byToken(tokenHash: Buffer): Link | undefined;
  /** Newest first; may include expired ones. */
  list(): Link[];
  /** Compare-and-set: null when it was decided before. */
  decide(
    id: string,
    decision: { status: 'complete'; agentId: string; sealedKey: Buffer } | { status: 'denied' },
  ): Link | null;
  /** Deletes those that expired before that time, in Unix milliseconds. */
  forget(before: number): void;
  /** Deletes a pending one to make room for another. */
  drop(id: string): void;
}

export interface IdentityStore {
  /** Those that were not removed, oldest first. */
  list(): Identity[];
  get(id: string): Identity | undefined;
  add(identity: Identity): void;
  remove(id: string, now: number): Identity;
}

export interface SignInStore {
  get(): SignInSettings;
  set(settings: SignInSettings): void;
}

export interface PublicAddressStore {
  get(): PublicAddressSettings;
  set(settings: PublicAddressSettings): void;
}
