// Authentication. `owner` selects, the credential authorizes: an API key used for another agent's path gets the same
// 401 as a wrong one.
import type { Request, Response } from 'express';
import type { Access } from '../contract/routes.ts';
import { AppError, fieldError, invariant } from '../errors.ts';
import type { Caller, KnownCaller } from '../engine/ports.ts';
import type { DoorName } from '../lib/net/public-url.ts';
import { doorOf } from './door.ts';
import { whenOver } from './when-over.ts';

export interface Credentials {
  owner: string;
  /** True for a token of the owner that is valid at this door. */
  isOwner(token: string, door: DoorName): boolean;
  /** Where the owner uses it; null: it is not known. */
  placeOf(token: string, door: DoorName): 'dashboard' | 'command' | null;
  /** Calls back once, when it stops being one. Returns a function that unsubscribes. */
  onOwnerEnd(token: string, door: DoorName, work: () => void): () => void;
  /** The agent of a valid API key. @throws AppError `key_ended` for a delegated key that has ended */
  agentOf(token: string): { agentId: string; keyId: string; keyLevel: number } | undefined;
  /** Called with each agent that was let in. */
  seen(agent: { agentId: string; keyId: string }): void;
  /** Null for an unknown caller. */
  knownCaller(bearer: string | undefined): KnownCaller | null;
  /** Whether a fingerprint is that of an API key or a session in force. */
  knows(fingerprint: string, door: DoorName): boolean;
  /** The identity that signed in at a link session's page. */
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
  if (caller.keyLevel > 0 && access !== 'key') throw notForDelegates();
  credentials.seen(caller);
  return caller;
};

/**
 * Cuts off a reply to the owner, pending or half sent, when its sign-in ends. The work goes on.
 * @throws AppError `unauthorized` when it has ended already
 */
export const whileSignedIn = (request: Request, response: Response, credentials: Credentials): void => {
  const token = bearerOf(request) ?? '';
  const { name } = doorOf(response);
  if (!credentials.isOwner(token, name)) throw unauthorized();
  const breakOff = (): void => unlessWhole(response, () => response.destroy());
  unlessWhole(response, () => whenOver(response, credentials.onOwnerEnd(token, name, breakOff)));
};

/** Most replies are complete by the end of the turn that asked for them, a sign-out's own among them. */
const unlessWhole = (response: Response, work: () => void): void =>
  void setImmediate(() => {
    if (!response.writableEnded && !response.req.socket.destroyed) work();
  });

const visitorOf = (request: Request, credentials: Credentials): Caller => {
  const bearer = bearerOf(request);
  const known = credentials.knownCaller(bearer);
  if (bearer !== undefined && known === null) noteAgent(bearer, credentials);
  return { role: 'nobody', bearer: bearer ?? null, known };
};

/** A route for everybody lets nobody in as an agent; the owner still learns that the agent called. */
const noteAgent = (bearer: string, { agentOf, seen }: Credentials): void => {
  try {
    const agent = agentOf(bearer);
    if (agent !== undefined) seen(agent);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
};

const ownersAlone = (): AppError =>
  new AppError('forbidden', 'Only the owner may do this. Ask the owner to do it in the treasury.');

const notForDelegates = (): AppError =>
  new AppError(
    'forbidden',
    'A delegated key may pay, fetch, generate, read its own limits and payments, and delegate further. Ask the agent that delegated it.',
  );

/** A link session belongs to no owner until it is complete, so `owner` selects nothing here. */
const linkingCallerOf = (request: Request, credentials: Credentials): Caller => {
  const identity = credentials.identityOf(bearerOf(request) ?? '');
  if (identity !== undefined) return { role: 'identity', ...identity };
  const caller = callerOf(request, credentials);
  if (caller.role === 'agent') throw ownersAlone();
  return caller;
};

export const bearerOf = ({ headers }: Pick<Request, 'headers'>): string | undefined =>
  /^Bearer ([\x21-\x7e]{1,256})$/i.exec(headers.authorization ?? '')?.[1];

/** The owner or the agent that a token stands for. @throws AppError `unauthorized` */
export const callerOf = (
  request: Request,
  credentials: Credentials,
): Extract<Caller, { role: 'owner' | 'agent' }> => {
  const token = bearerOf(request);
  if (token === undefined) throw unauthorized();
  const door = doorNameOf(request);
  if (credentials.isOwner(token, door)) return { role: 'owner', from: credentials.placeOf(token, door) };
  const agent = credentials.agentOf(token);
  if (agent === undefined) throw unauthorized();
  return { role: 'agent', ...agent };
};

const doorNameOf = ({ res }: Request): DoorName => {
  invariant(res !== undefined, 'a request has its response');
  return doorOf(res).name;
};

const checkOwner = (given: unknown, owner: string): void => {
  if (given === owner) return;
  if (typeof given !== 'string' || !/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(given)) {
    throw fieldError('owner', 'is required once in the query, the address of the owner’s wallet');
  }
  throw unauthorized();
};
