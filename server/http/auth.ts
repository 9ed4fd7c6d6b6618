// Who is asking. `owner` selects, the credential authorises: a key used for anything that is not its own gets the same
// 401 as a wrong key.
import type { Request } from 'express';
import type { Access } from '../contract/routes.ts';
import { AppError } from '../errors.ts';
import type { Caller } from '../engine/ports.ts';

export interface Credentials {
  owner: string;
  /** True for a token of the owner's that is in force. */
  isOwner(token: string): boolean;
  /** The agent behind a key in force. */
  agentOf(token: string): { agentId: string; keyId: string } | undefined;
}

const unauthorized = (): AppError =>
  new AppError(
    'unauthorized',
    'Missing or invalid API key. Send it as "Authorization: Bearer KEY" with the owner it belongs to.',
  );

/** The caller of a route that is not public. @throws AppError `unauthorized`, `bad_request` (owner), `forbidden` */
export const authenticate = (request: Request, access: Access, credentials: Credentials): Caller => {
  const caller = callerOf(request, credentials);
  checkOwner(request.query['owner'], credentials.owner);
  if (caller.role === 'owner') return caller;
  const named = request.params['agentId'];
  if (named !== undefined && named !== caller.agentId) throw unauthorized();
  if (access === 'owner') {
    throw new AppError('forbidden', 'Only the owner may do this. Ask the owner to do it in the treasury.');
  }
  return caller;
};

export const bearerOf = ({ headers }: Pick<Request, 'headers'>): string | undefined =>
  /^Bearer ([\x21-\x7e]{1,256})$/i.exec(headers.authorization ?? '')?.[1];

const callerOf = (request: Request, credentials: Credentials): Exclude<Caller, { role: 'nobody' }> => {
  const token = bearerOf(request);
  if (token === undefined) throw unauthorized();
  if (credentials.isOwner(token)) return { role: 'owner' };
  const agent = credentials.agentOf(token);
  if (agent === undefined) throw unauthorized();
  return { role: 'agent', ...agent };
};

const checkOwner = (given: unknown, owner: string): void => {
  if (given === owner) return;
  if (typeof given !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(given)) {
    throw new AppError(
      'bad_request',
      'owner: is required once in the query, the address of the owner’s wallet.',
    );
  }
  throw unauthorized();
};
