// The agent behind a request through the proxy, and the secrets of ours that must not leave with it.
import type { Request } from 'express';
import type { Caller, SellerRequest } from '../../engine/ports.ts';
import { AppError } from '../../errors.ts';
import type { Credentials } from '../auth.ts';

/** Any of these may hold our API key. The others are the seller's. */
const keyHeaders = ['authorization', 'x-api-key', 'x-treasury-key'] as const;

export interface ProxyCaller {
  caller: Extract<Caller, { role: 'agent' }>;
  /** The header that holds the API key, in lower case. */
  keyHeader: string;
}

/**
 * @throws AppError `bad_request` unless exactly one header holds a live API key; `key_ended`; `unauthorized` for the key
 *   of another agent
 */
export const callerOf = (
  { headersDistinct }: Pick<Request, 'headersDistinct'>,
  agentId: string,
  { agentOf }: Pick<Credentials, 'agentOf'>,
): ProxyCaller => {
  const found = keysIn({ headersDistinct }).flatMap(({ keyHeader, token }) => {
    const agent = agentOf(token);
    return agent === undefined ? [] : [{ caller: { role: 'agent' as const, ...agent }, keyHeader }];
  });
  const [only, ...more] = found;
  if (only === undefined || more.length > 0)
    throw new AppError(
      'bad_request',
      'Exactly one of Authorization (as "Bearer KEY"), x-api-key and X-Treasury-Key must hold an API key of the agent in the path. The others go on to the seller.',
    );
  if (only.caller.agentId !== agentId)
    throw new AppError('unauthorized', 'The API key does not belong to the agent in the path.');
  return only;
};

/** All that could be an API key of ours, with its header. */
export const keysIn = ({ headersDistinct }: Pick<Request, 'headersDistinct'>) =>
  keyHeaders.flatMap((keyHeader) =>
    (headersDistinct[keyHeader] ?? []).map((value) => ({ keyHeader, token: tokenIn(keyHeader, value) })),
  );

const tokenIn = (name: string, value: string): string =>
  name === 'authorization' ? (/^Bearer ([\x21-\x7e]{1,256})$/i.exec(value)?.[1] ?? '') : value;

/** The form of each token of ours: see `newToken`. */
const token = /[a-z]{3}_[\w-]{43}/g;

/**
 * Whether a header, the path or the query of a request holds one of our secrets, plainly, percent-encoded, or in Basic
 * credentials.
 * @param isLive for a token of ours that is in force
 */
export const holdsSecret = (
  { headers, target = '' }: Pick<SellerRequest, 'headers' | 'target'>,
  isLive: (token: string) => boolean,
): boolean =>
  [...Object.entries(headers).flat(2), target]
    .flatMap((text) => [text, unescaped(text), unbased(text)])
    .some((text) => (text.match(token) ?? []).some(isLive));

const unescaped = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const unbased = (text: string): string => {
  const encoded = /^Basic\s+(\S+)$/i.exec(text)?.[1];
  return encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('latin1');
};
