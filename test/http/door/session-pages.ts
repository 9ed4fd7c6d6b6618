// A browser's part in a treasury's sessions, without a browser.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintOf, hashOfKey, healthProof } from '../../../server/contract/host/health-proof.ts';
import type { Ending } from '../../../server/contract/host/proof-text.ts';
import type { Answer, Client } from '../../harness/http-client.ts';

const nobody = { token: null, owner: null };

/** A small dashboard in a folder; returns it. */
export const writePages = (folder: string): string => {
  const html = '<meta name="csp-nonce" content="__NONCE__" /><meta name="ticket" content="__TICKET__" />';
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), html);
  writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  return folder;
};

export const openSession = async (client: Client, proof: object): Promise<Answer> =>
  client.post('/v1/session', proof, nobody);

/** @throws when it is refused */
export const signInBy = async (client: Client, proof: object): Promise<string> => {
  const { body, text } = await openSession(client, proof);
  if (typeof body['session'] !== 'string') throw new Error(text);
  return body['session'];
};

export const loginOf = ({ newLoginUrl }: { newLoginUrl(): string | null }): string =>
  newLoginUrl()?.split('#login=')[1] ?? '';

export const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

/** The ticket in a page that was asked for like this; empty for none. */
export const ticketIn = async (
  client: Client,
  headers: Record<string, string> = navigation,
): Promise<string> => {
  const { text } = await client.get('/', { ...nobody, headers });
  return /name="ticket" content="([^"]*)"/.exec(text)?.[1] ?? 'no page';
};

export const admit = async (client: Client, session: string, ticket: string): Promise<unknown> => {
  const pageId = ticket.split('.')[0];
  return (await client.as(session).post('/v1/session/pages', { pageId })).body['admitted'];
};

export const isOpen = async (client: Client, session: string): Promise<boolean> =>
  (await client.as(session).get('/v1/about')).status === 200;

/** Resolves with what a host proves about a session: that it is open, or why it is over; null for no proof. */
export const proofOf = async (
  client: Client,
  url: string,
  session: string,
): Promise<'open' | Ending | null> => {
  const hash = hashOfKey(session);
  const nonce = randomBytes(16).toString('hex');
  const { body } = await client.get(`/v1/health?nonce=${nonce}&key=${fingerprintOf(hash)}`, nobody);
  const ended = (body['ended'] ?? null) as Ending | null;
  return body['proof'] === healthProof(hash, nonce, url, ended) ? (ended ?? 'open') : null;
};
