// The proof of a host that it knows this tab's session, or that it sent this page. It comes before a secret is sent: another
// program may have the port by now, and thus this page's own origin.
import { fingerprintText, proofText, type Ending } from '../../server/contract/host/proof-text.ts';
import { routes } from '../../server/contract/routes.ts';
import type { Reply } from '../../server/contract/schemas.ts';
import { pageId, ticket } from './page-ticket.ts';
import { Unreachable } from './unreachable.ts';

/** Why a session cannot be used: why it is over, or that the host did not prove that it knows it. */
export type Over = Ending | 'unproven';

export class SessionOver extends Error {
  override readonly name = 'SessionOver';
  readonly why: Over;
  constructor(why: Over) {
    super('You are signed out.');
    this.why = why;
  }
}

/** This host did not send this page, or was started again since. */
export class OtherHost extends Error {
  override readonly name = 'OtherHost';
  constructor() {
    super(
      'Either the treasury was started again, or another program answers at its address. Nothing was sent to it. Load this page again.',
    );
  }
}

const withinMs = 3_000;

/** In development, the page comes from another address than the host. */
const devHostUrl = (import.meta as unknown as { env: { VITE_TREASURY_URL?: string } }).env.VITE_TREASURY_URL;
const hostUrl = devHostUrl ?? location.origin;

/** Resolves when this host knows the session. @throws SessionOver; Unreachable while nobody answers */
export const askForProof = async (session: string): Promise<void> => {
  const hash = await sha256(session);
  const over = await hearProof(hash, { key: await sha256(fingerprintText(hash)) });
  if (over !== null) throw new SessionOver(over);
};

/** Resolves when this host sent this page. @throws OtherHost; Unreachable while nobody answers */
export const askForHost = async (): Promise<void> => {
  if (devHostUrl !== undefined) return;
  if ((await hearProof(await sha256(ticket), { page: pageId })) !== null) throw new OtherHost();
};

/** Null where the host proves that it knows this hash, and all is well. */
const hearProof = async (hash: string, whose: { key: string } | { page: string }): Promise<Over | null> => {
  const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
  const { proof, ended = null } = await readHealth(
    `${routes.health.path}?${new URLSearchParams({ nonce, ...whose })}`,
  );
  const isTrue = proof === (await hmac(hash, proofText({ nonce, url: hostUrl, ended })));
  return isTrue ? ended : 'unproven';
};

const readHealth = async (path: string): Promise<Partial<Reply<'health'>>> => {
  const response = await fetch(path, {
    cache: 'no-store',
    redirect: 'error',
    signal: AbortSignal.timeout(withinMs),
  }).catch(() => {
    throw new Unreachable();
  });
  // It is starting.
  if (response.status === 503) throw new Unreachable();
  const answer: unknown = await response.json().catch(() => null);
  return typeof answer === 'object' && answer !== null ? answer : {};
};

const bytesOf = (text: string) => new TextEncoder().encode(text);

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const sha256 = async (text: string): Promise<string> =>
  hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(text))));

const hmac = async (key: string, text: string): Promise<string> => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', bytesOf(key), algorithm, false, ['sign']);
  return hex(new Uint8Array(await crypto.subtle.sign('HMAC', imported, bytesOf(text))));
};

export interface Line {
  /** The session may be sent now. */
  isAlive(): boolean;
  /** Resolves when the session may be sent now. @throws as `askForProof` does */
  check(): Promise<void>;
  /** The same, with a proof of this very moment. */
  prove(): Promise<void>;
  /** A connection that was opened after a proof still brings something. */
  received(): void;
  broke(): void;
}

/** The host sends something every 15 seconds. */
const silentMs = 20_000;

/** The line to the host that knows this session: proven once, now or before, and again after it broke or fell silent. */
export const createLine = (session: string, isProven: boolean): Line => {
  let aliveAt = isProven ? Date.now() : -Infinity;
  let proving: Promise<void> | null = null;
  // A clock that was set back proves nothing either.
  const isAlive = (): boolean => Math.abs(Date.now() - aliveAt) < silentMs;
  const prove = async (): Promise<void> => {
    aliveAt = -Infinity;
    await askForProof(session);
    aliveAt = Date.now();
  };
  return {
    isAlive,
    prove,
    check() {
      if (isAlive()) return Promise.resolve();
      proving ??= prove().finally(() => {
        proving = null;
      });
      return proving;
    },
    received() {
      // A message that waited while a browser had this tab frozen proves nothing.
      if (isAlive()) aliveAt = Date.now();
    },
    broke() {
      aliveAt = -Infinity;
    },
  };
};
