// The agents' way to language models: the routes of OpenAI's and Anthropic's APIs below /v1/agents/:agentId/llm. A refusal has
// the shape of the API that was called, so that each SDK reads it, and none sends the request again.
import type { Request, RequestHandler, Response } from 'express';
import type { ModelGateway, ModelReader, RequestWire } from '../engine/ports.ts';
import { AppError, fieldError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Credentials } from './auth.ts';
import { goneOf } from './gone.ts';
import { keyOf } from './idempotency-key.ts';
import { mostToModel, type Bodies } from './proxy/body.ts';
import { callerOf } from './proxy/caller.ts';
import { refuseBrowsers } from './proxy/proxy.ts';
import { endWhole, writePiece } from './streamed.ts';

interface ModelRoutesDeps {
  credentials: Credentials;
  bodies: Bodies;
  gateway: ModelGateway;
  /** Waits for a turn in which an agent's request may begin. */
  admission: { next(lane: string): Promise<void> };
  log: Log;
}

const path = /^\/v1\/agents\/([^/?]+)\/llm\/(openai|anthropic)\/v1\/([a-z_/]+)$/;

const posts: Readonly<Record<string, RequestWire>> = {
  'openai chat/completions': 'openai-chat',
  'openai responses': 'openai-responses',
  'openai embeddings': 'openai-embeddings',
  'anthropic messages': 'anthropic-messages',
};

/** A client that takes nothing for so long has gone. */
const stalledMs = 300_000;

/** Answers requests to models, and passes on all others. */
export const createModelRoutes = (deps: ModelRoutesDeps): RequestHandler => {
  return async (request, response, next) => {
    const [, agentId, api, rest] = path.exec(request.path) ?? [];
    if (agentId === undefined || api === undefined || rest === undefined) return next();
    response.locals['isOurs'] = false;
    const route = `${api} ${rest}`;
    const wire: RequestWire = posts[route] ?? (api === 'anthropic' ? 'anthropic-messages' : 'openai-chat');
    let release: (() => void) | undefined;
    try {
      refuseBrowsers(request);
      const caller = await admitted(deps, request, agentId);
      response.locals['caller'] = caller;
      const asked = { caller, wire, headers: headersFor(request), idempotencyKey: keyOf(request) };
      if (request.method === 'GET' && rest === 'models')
        return void response.json(await deps.gateway.models(asked));
      const isCount = route === 'anthropic messages/count_tokens';
      if (request.method !== 'POST' || (posts[route] === undefined && !isCount))
        throw new AppError('not_found', `There is no ${request.method} ${request.path}.`);
      refuseOtherBodies(request);
      const { body, release: forget } = await deps.bodies.read(request, agentId, mostToModel);
      release = forget;
      if (body === null) throw fieldError('body', 'must be JSON');
      const reader = readerOf(response, wire);
      const call = { ...asked, body, reader, gone: goneOf(request, response) };
      await (isCount ? deps.gateway.count(call) : deps.gateway.call(call));
      await reader.end();
    } catch (error) {
      refuse(deps, response, wire, error);
    } finally {
      release?.();
    }
  };
};

/** @throws AppError for all that can be refused before the body is read */
const admitted = async (
  { credentials, admission }: ModelRoutesDeps,
  request: Request,
  agentId: string,
): Promise<ReturnType<typeof callerOf>['caller']> => {
  const { caller } = callerFrom(request, agentId, credentials);
  await admission.next(caller.agentId);
  credentials.seen(caller);
  return caller;
};

/** A provider's own key or login is never passed on: its owner's budget would be passed by. */
const callerFrom = (request: Request, agentId: string, credentials: Credentials) => {
  try {
    return callerOf(request, agentId, credentials);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'bad_request') throw error;
    throw new AppError(
      'unauthorized',
      'Send the API key of the agent in the path, as a bearer token or in x-api-key. Another key is not passed on to a supplier.',
    );
  }
};

/** @throws AppError `unsupported_media_type` */
const refuseOtherBodies = ({ headers }: Request): void => {
  const type = headers['content-type'] ?? 'application/json';
  const isPlain = headers['content-encoding'] === undefined || headers['content-encoding'] === 'identity';
  if (!isPlain || !/^application\/json\b/i.test(type))
    throw fieldError(
      'content-type',
      'must be application/json, without a content-encoding',
      'unsupported_media_type',
    );
};

/** The headers that go on: nothing that says who pays, and none that could hold a secret. */
const headersFor = ({ headers }: Request): Record<string, string> =>
  Object.fromEntries(
    ['anthropic-version', 'anthropic-beta'].flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' && /^[\w.,: -]{1,500}$/.test(value) ? [[name, value]] : [];
    }),
  );

/** Headers of a supplier's answer that its client may want. */
const passes =
  /^(?:content-type|retry-after|retry-after-ms|x-request-id|request-id|x-should-retry|x-ratelimit-.*|anthropic-ratelimit-.*|openai-(?:processing-ms|version|model))$/;

const setHeaders = (response: Response, headers: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
};

const eventStream = 'text/event-stream';

const readerOf = (response: Response, wire: RequestWire): ModelReader => {
  /** Begins the one event that an answer becomes which is no stream, although the client has been promised one. */
  let lineBegin: string | null = null;
  return {
    keepAlive() {
      if (!response.headersSent) setHeaders(response, { 'content-type': `${eventStream}; charset=utf-8` });
      response.write(': waiting\n\n');
    },
    begin({ status, headers, requestId, loweredTo }) {
      if (response.headersSent) {
        if (headers['content-type']?.includes(eventStream) !== true)
          lineBegin = `${wire === 'anthropic-messages' ? 'event: error\n' : ''}data: `;
        return;
      }
      response.statusCode = status;
      setHeaders(response, Object.fromEntries(Object.entries(headers).filter(([name]) => passes.test(name))));
      if (requestId !== null) response.setHeader('X-Treasury-Request-Id', requestId);
      if (loweredTo !== null) response.setHeader('X-Treasury-Max-Tokens', String(loweredTo));
      response.write(Buffer.alloc(0));
    },
    async write(piece) {
      const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      if (lineBegin === null) return writePiece(response, bytes, stalledMs);
      // A line break would end the event. In JSON, a space is as good.
      const inLine = bytes.map((byte) => (byte === 10 || byte === 13 ? 32 : byte));
      const next = Buffer.concat([Buffer.from(lineBegin), inLine]);
      lineBegin = '';
      response.locals['isInLine'] = true;
      return writePiece(response, next, stalledMs);
    },
    end() {
      if (response.locals['isInLine'] === true) response.write('\n\n');
      response.locals['isInLine'] = false;
      return endWhole(response);
    },
  };
};

/** A stream that has begun ends with the event of an error; another answer is broken off, so that it does not look whole. */
const refuse = (
  { gateway, log }: ModelRoutesDeps,
  response: Response,
  wire: RequestWire,
  error: unknown,
): void => {
  if (!(error instanceof AppError)) {
    if (response.headersSent) log.error({ err: error }, 'an answer of a model broke off');
    if (!response.headersSent) throw error;
    return void response.destroy();
  }
  if (response.headersSent) {
    const isStream = String(response.getHeader('content-type')).includes(eventStream);
    const before = response.locals['isInLine'] === true ? '\n\n' : '';
    if (isStream) response.end(`${before}${gateway.refusalEvent(wire, error)}`);
    else response.destroy();
    return;
  }
  const { status, headers, body } = gateway.refusal(wire, error);
  if (error.code === 'too_large') response.setHeader('Connection', 'close');
  response.writeHead(status, { ...headers }).end(body);
};
