// The agent behind a request through the proxy.
import type { Request } from 'express';
import type { Caller } from '../../engine/ports.ts';
import { AppError } from '../../errors.ts';
import type { Credentials } from '../auth.ts';

/** Any of these may hold our API key, as SDKs send their own. Without it, each is the seller's. */
const keyHeaders = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'x-treasury-key'] as const;

export interface ProxyCaller {
  caller: Extract<Caller, { role: 'agent' }>;
  /** The headers that hold the API key, in lower case. */
  keyHeaders: ReadonlySet<string>;
}

/**
 * @throws AppError `bad_request` unless these headers hold exactly one live API key, in whatever number of them;
 *   `key_ended`; `unauthorized` for the key of another agent
 */
export const callerOf = (
  { headersDistinct }: Pick<Request, 'headersDistinct'>,
  agentId: string,
  { agentOf }: Pick<Credentials, 'agentOf'>,
): ProxyCaller => {
  const found = keysIn({ headersDistinct }).flatMap(({ keyHeader, token }) => {
    const agent = agentOf(token);
    return agent === undefined ? [] : [{ agent, keyHeader, token }];
  });
  const [first] = found;
  if (first === undefined || found.some(({ token }) => token !== first.token))
    throw new AppError(
      'bad_request',
      'One API key of the agent in the path must be in Authorization (as "Bearer KEY"), x-api-key, api-key, x-goog-api-key or X-Treasury-Key. Other values of these headers go on to the seller.',
    );
  if (first.agent.agentId !== agentId)
    throw new AppError('unauthorized', 'The API key does not belong to the agent in the path.');
  return {
    caller: { role: 'agent', ...first.agent },
    keyHeaders: new Set(found.map(({ keyHeader }) => keyHeader)),
  };
};

/** All that could be an API key of ours, with its header. */
export const keysIn = ({ headersDistinct }: Pick<Request, 'headersDistinct'>) =>
  keyHeaders.flatMap((keyHeader) =>
    (headersDistinct[keyHeader] ?? []).map((value) => ({ keyHeader, token: tokenIn(keyHeader, value) })),
  );

const tokenIn = (name: string, value: string): string =>
  name === 'authorization' ? (/^Bearer ([\x21-\x7e]{1,256})$/i.exec(value)?.[1] ?? '') : value;
