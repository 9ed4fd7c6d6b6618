// /v1: every route of the contract, in the order guard, credential, owner, path, body, engine.
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { parse } from '../contract/field-errors.ts';
import { routes, type Route, type RouteName } from '../contract/routes.ts';
import { exchanges } from '../contract/schemas.ts';
import { stops } from '../contract/treasury/stops.ts';
import type { Call, Caller, Operation } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import { authenticate, callerOf, whileSignedIn, type Credentials } from './auth.ts';
import { doorOf } from './door.ts';
import { createBodyReaders } from './body.ts';
import { goneOf } from './gone.ts';
import { keyOf } from './idempotency-key.ts';
import { sendStreamed } from './streamed.ts';

/** Routes whose reply is a stream or a document of its own. */
const streamRoutes = [
  'health',
  'openapi',
  'events',
  'agentEvents',
  'statement',
  'books',
  'anchoredStatement',
  'endSession',
  'admitPage',
  'taskImage',
  'answer',
] as const;
type StreamRoute = (typeof streamRoutes)[number];
export type Operations = { [N in Exclude<RouteName, StreamRoute>]: Operation<N> };
export type Streams = {
  [N in StreamRoute]: (query: unknown, response: Response, request: Request) => void | Promise<void>;
};

interface RouterDeps {
  credentials: Credentials;
  operations: Operations;
  /** @throws AppError `not_found` when this caller has nothing that the path names */
  checkPath(caller: Caller, params: Request['params'], route: RouteName): void;
  streams: Streams;
  /** Waits for a turn of the event loop in which to send a piece of a large answer; lanes take turns. */
  turns: Lanes;
  /** Waits for a turn in which an agent's request may begin. */
  admission: Lanes;
}

interface Lanes {
  next(lane: string): Promise<void>;
}

const mostWaitSeconds = 60;

export const createRouter = (deps: RouterDeps): Router => {
  const { credentials, operations, checkPath, streams, turns, admission } = deps;
  const router = express.Router({ caseSensitive: true, strict: true });
  const { readBody, readStop } = createBodyReaders();

  for (const [name, route] of entries(routes)) {
    const isStop = stops.includes(name);
    const identify: RequestHandler = async (request, response, next) => {
      const caller = authenticate(request, route.access, credentials);
      // Agents queue, the owner does not: an agent's requests delay neither a stop nor another agent.
      if (caller.role === 'agent') await admission.next(caller.agentId);
      checkPath(caller, request.params, name);
      response.locals['caller'] = caller;
      next();
    };
    const answer: RequestHandler = async (request, response) => {
      const caller = response.locals['caller'] as Caller;
      // A session may have ended while the body arrived.
      if (caller.role === 'owner') whileSignedIn(request, response, credentials);
      const { params, query, body } = exchanges[name];
      const parsedQuery = parse(query, withoutOwner(request.query));
      const sent: unknown = isStop && !body.safeParse(request.body).success ? {} : request.body;
      const parsedBody = route.method === 'GET' ? {} : parse(body, sent);
      if (isStream(name)) {
        // Its reader left before its turn came.
        if (response.destroyed) return;
        await streams[name](parsedQuery, response, request);
        return;
      }
      const call = {
        caller,
        door: doorOf(response),
        params: parse(params, request.params),
        query: parsedQuery,
        body: parsedBody,
        key: keyOf(request),
        waitMs: preferredWait(request),
        continues: preferredContinuation(request),
        gone: goneOf(request, response),
      };
      const operation = operations[name] as (call: unknown) => ReturnType<Operation<RouteName>>;
      const result = await operation(call as Call<typeof name>);
      if (result.kind === 'streamed')
        await sendStreamed(response, result, () => turns.next(String(request.params['agentId'])));
      else response.status(result.kind === 'done' ? 200 : 202).json(result.body);
    };
    const method = route.method.toLowerCase() as 'get' | 'post' | 'delete';
    router[method](
      route.path,
      identify,
      ...(route.method === 'GET' ? [] : [isStop ? readStop : readBody]),
      answer,
    );
  }

  router.use((request) => {
    // Authenticate before 404, so that routes cannot be enumerated.
    callerOf(request, credentials);
    throw new AppError('not_found', `There is no ${request.method} ${request.path}.`);
  });
  return router;
};

const entries = (table: typeof routes): [RouteName, Route][] => Object.entries(table) as [RouteName, Route][];

const isStream = (name: RouteName): name is StreamRoute =>
  (streamRoutes as readonly RouteName[]).includes(name);

/** `owner` was checked with the credential; a public route ignores it. */
const withoutOwner = ({ owner: _owner, ...rest }: Request['query']): unknown => rest;

/** RFC 7240: `Prefer: wait=N`, in seconds, at most 60; returns milliseconds. Null without it. */
const preferredWait = (request: Request): number | null => {
  const prefer = request.headers['prefer'];
  const seconds = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?(?:$|[,;\s])/i.exec(String(prefer ?? ''))?.[1];
  return seconds === undefined ? null : Math.min(Number(seconds), mostWaitSeconds) * 1_000;
};

/** `Prefer: continue` or `continue=N`, our own preference: see engine/payment/machine/continuation.ts. Null without it. */
const preferredContinuation = (request: Request): number | null => {
  const preferences = String(request.headers['prefer'] ?? '').split(/[,;]/);
  for (const preference of preferences) {
    const [found, nth = '1'] = /^\s*continue(?:\s*=\s*"?([1-9]\d?)"?)?\s*$/i.exec(preference) ?? [];
    if (found !== undefined) return Number(nth);
  }
  return null;
};
