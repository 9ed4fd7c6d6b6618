// Agents' API keys: 256 random bits, shown once, kept as a SHA-256 hash. They cannot be guessed, so no lockout.
import { hash, randomBytes } from 'node:crypto';
import type { Context } from './context.ts';
import type { AgentKey, Store } from './ports.ts';
import type { Reply } from '../contract/schemas.ts';

export const agentKeyPrefix = 'atk_';

/** A fresh bearer token of 256 bits. */
export const newToken = (prefix: string): string => prefix + randomBytes(32).toString('base64url');

export const hashToken = (token: string): string => hash('sha256', token);

/** Writes a new key, inside a transaction; the token itself is in the answer and nowhere else. */
export const issueKey = (context: Context, agentId: string, label: string): Reply<'addKey'> => {
  const { store, settings, time, newId } = context;
  const apiKey = newToken(agentKeyPrefix);
  const id = newId('key');
  const createdAt = time.now();
  store.keys.insert({
    id,
    agentId,
    hash: hashToken(apiKey),
    label,
    createdAt,
    expiresAt: null,
    revokedAt: null,
  });
  const { command, args, env } = settings.bridge;
  const own = { TREASURY_OWNER: settings.owner, TREASURY_AGENT_ID: agentId, TREASURY_API_KEY: apiKey };
  return { keyId: id, apiKey, mcpConfig: { command, args: [...args], env: { ...env, ...own } } };
};

/** The key behind a bearer token, when it is one of ours and still in force. */
export const keyOf = ({ keys }: Pick<Store, 'keys'>, token: string, now: number): AgentKey | undefined => {
  if (!token.startsWith(agentKeyPrefix)) return undefined;
  const key = keys.byHash(hashToken(token));
  if (key === undefined || key.revokedAt !== null) return undefined;
  return key.expiresAt !== null && key.expiresAt <= now ? undefined : key;
};
