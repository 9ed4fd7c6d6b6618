// Agents' API keys: 256 random bits, shown once, kept as a SHA-256 hash. They cannot be guessed, so no lockout.
import { hashOfKey } from '../../contract/host/health-proof.ts';
import { newToken } from '../../lib/token.ts';
import { refuseEnded, type Context } from '../payment/context.ts';
import type { AgentKey, Store } from '../ports.ts';
import type { Reply } from '../../contract/schemas.ts';

const agentKeyPrefix = 'atk_';

export const newApiKey = (): string => newToken(agentKeyPrefix);

interface KeyTerms {
  apiKey?: string | undefined;
  delegated?: AgentKey['delegated'];
  /** Unix milliseconds. */
  expiresAt?: number | null;
}

/** Writes a new API key; call it inside a transaction. The token itself is in the reply and nowhere else. */
export const issueKey = (
  context: Context,
  agentId: string,
  label: string,
  { apiKey = newApiKey(), delegated = null, expiresAt = null }: KeyTerms = {},
): Reply<'addKey'> => {
  const { store, settings, time, newId } = context;
  const id = newId('key');
  const createdAt = time.now();
  store.keys.insert({
    id,
    agentId,
    hash: hashOfKey(apiKey),
    label,
    createdAt,
    expiresAt,
    revokedAt: null,
    delegated,
  });
  const { command, args, env } = settings.bridge();
  const own = { TREASURY_OWNER: settings.owner, TREASURY_AGENT_ID: agentId, TREASURY_API_KEY: apiKey };
  return { keyId: id, apiKey, mcpConfig: { command, args: [...args], env: { ...env, ...own } } };
};

/**
 * The API key of a bearer token, if it is ours and in force.
 * @param now Unix milliseconds
 * @throws AppError `key_ended` for a delegated key that has ended
 */
export const keyOf = ({ keys }: Pick<Store, 'keys'>, token: string, now: number): AgentKey | undefined => {
  if (!token.startsWith(agentKeyPrefix)) return undefined;
  const key = keys.byHash(hashOfKey(token));
  if (key !== undefined && key.delegated !== null) refuseEnded(key, now);
  return key !== undefined && inForce(key, now) ? key : undefined;
};

const inForce = ({ revokedAt, expiresAt }: AgentKey, now: number): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now);

/** Whether a token is an API key in force. @param now Unix milliseconds */
export const isLiveKey = ({ keys }: Pick<Store, 'keys'>, token: string, now: number): boolean => {
  const key = keys.byHash(hashOfKey(token));
  return key !== undefined && inForce(key, now);
};

/** The API key of a fingerprint, if it is in force. @param now Unix milliseconds */
export const keyByFingerprint = (
  { keys }: Pick<Store, 'keys'>,
  fingerprint: string,
  now: number,
): AgentKey | undefined => {
  const key = keys.byFingerprint(fingerprint);
  return key !== undefined && inForce(key, now) ? key : undefined;
};
