// Who is asking. `owner` selects, the credential authorises: a key used for anything that is not its own gets the same
// 401 as a wrong key.
import type { Request } from 'express';
import type { Access } from '../contract/routes.ts';
import { AppError } from '../errors.ts';
import type { Caller, KnownCaller } from '../engine/ports.ts';

export interface Credentials {
  owner: string;
  /** True for a token of the owner's that is in force. */
  isOwner(token: string): boolean;
  /** The agent behind a key in force. */
  agentOf(token: string): { agentId: string; keyId: string } | undefined;
  /** Null for a stranger. */
  knownCaller(bearer: string | undefined): KnownCaller | null;
  /** Who signed in at the page of a link session. */
  identityOf(token: string): { identityId: string; linkId: string } | undefined;
}

const unauthorized = (): AppError =>
  new AppError(
    'unauthorized',
    'Missing or invalid API key. Send it as "Authorization: Bearer KEY" with the owner it belongs to.',
  );

/** The caller of a route. @throws AppError `unauthorized`, `bad_request` (owner), `forbidden` */
export const authenticate = (request: Request, access: Access, credentials: Credentials): Caller => {
  if (access === 'public') return visitorOf(request, credentials);
  if (access === 'identity') return linkingCallerOf(request, credentials);
  const caller = callerOf(request, credentials);
  checkOwner(request.query['owner'], credentials.owner);
  if (caller.role === 'owner') return caller;
  const named = request.params['agentId'];
  if (named !== undefined && named !== caller.agentId) throw unauthorized();
  if (access === 'owner') throw ownersAlone();
  return caller;
};

const visitorOf = (request: Request, { knownCaller }: Credentials): Caller => {
  const bearer = bearerOf(request);
  return { role: 'nobody', bearer: bearer ?? null, known: knownCaller(bearer) };
};

const ownersAlone = (): AppError =>
  new AppError('forbidden', 'Only the owner may do this. Ask the owner to do it in the treasury.');

/** A link session belongs to no owner before it is complete: no `owner` selects here. */
const linkingCallerOf = (request: Request, credentials: Credentials): Caller => {
  const identity = credentials.identityOf(bearerOf(request) ?? '');
  if (identity !== undefined) return { role: 'identity', ...identity };
  const caller = callerOf(request, credentials);
  if (caller.role === 'agent') throw ownersAlone();
  return caller;
};

export const bearerOf = ({ headers }: Pick<Request, 'headers'>): string | undefined =>
  /^Bearer ([\x21-\x7e]{1,256})$/i.exec(headers.authorization ?? '')?.[1];

const callerOf = (
  request: Request,
  credentials: Credentials,
): Extract<Caller, { role: 'owner' | 'agent' }> => {
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
