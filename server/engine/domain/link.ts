// Machines that ask to be linked, the people who may link them, and how they sign in.
import type { DoorName } from '../../lib/net/public-url.ts';

export const linkStatuses = ['pending', 'complete', 'denied'] as const;

/** A machine's request to be linked to an agent. It expires after ten minutes. */
export interface Link {
  id: string;
  machine: string;
  /** Shown by the terminal and by the page. */
  code: string;
  /** The agent that the machine asks for, then the one it was linked to. */
  agentId: string | null;
  status: (typeof linkStatuses)[number];
  /** The one through which it was asked for. */
  door: DoorName;
  tokenHash: Buffer;
  pollHash: Buffer;
  /** The agent's API key is sealed to it; its private key is the poll secret. */
  publicKey: Buffer;
  /** The agent's API key, once complete. */
  sealedKey: Buffer | null;
  createdAt: number;
  expiresAt: number;
}

export const identityKinds = ['wallet', 'email', 'provider'] as const;

/** A person who may complete links. */
export interface Identity {
  id: string;
  kind: (typeof identityKinds)[number];
  /** By kind: a Solana address, an e-mail address in lower case, or the identity that the provider vouches for. */
  subject: string;
  label: string;
  addedAt: number;
  removedAt: number | null;
}

/** The ways to sign in besides a wallet. Their secrets are in the vault. */
export interface SignInSettings {
  mailServer: {
    host: string;
    port: number;
    security: 'tls' | 'starttls' | 'none';
    user: string | null;
    from: string;
  } | null;
  provider: { name: string; issuer: string; clientId: string } | null;
}

/** How other machines reach this treasury, through a tunnel of the owner's. */
export interface PublicAddressSettings {
  /** An origin; null: not at all. */
  url: string | null;
  /** The public address at which the owner may sign in; another address begins without it. */
  ownerSessionsAt: string | null;
}
