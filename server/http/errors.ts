// Errors as replies: {error, code, details}. An unknown error shows as "Internal error" and is logged whole, once.
import type { ErrorRequestHandler, Request, Response } from 'express';
import { detailsForAgent } from '../contract/refusals/to-agent.ts';
import type { Caller } from '../engine/ports.ts';
import { AppError, fieldError } from '../errors.ts';
import type { Log } from '../log.ts';
import { isTyped } from './typed.ts';

const sendError = (request: Request, response: Response, error: AppError): void => {
  const { retryAt, retryAfterSeconds } = error.details ?? {};
  if (typeof retryAt === 'string') {
    response.setHeader('Retry-After', Math.max(1, Math.ceil((Date.parse(retryAt) - Date.now()) / 1_000)));
  } else if (typeof retryAfterSeconds === 'number') {
    response.setHeader('Retry-After', retryAfterSeconds);
  }
  if (error.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  if (response.locals['isOurs'] === true && isTyped(request)) {
    response.setHeader('Content-Security-Policy', errorPagePolicy);
    response.status(error.status).type('html').send(errorPage(error, request.path));
    return;
  }
  // The proxy knows a status that its client does not repeat a request for.
  const status = (response.locals['status'] as number | undefined) ?? error.status;
  response
    .status(status)
    .json({ error: error.message, code: error.code, ...visibleDetails(error, response.locals['caller']) });
};

const visibleDetails = ({ details }: AppError, caller: Caller | undefined): { details?: object } => {
  if (details === undefined) return {};
  return { details: caller?.role === 'agent' ? detailsForAgent(details) : details };
};

export const errorHandler =
  (log: Log): ErrorRequestHandler =>
  (error: unknown, request, response, _next) => {
    const known = knownError(error);
    if (known === null || known.status === 500 || response.headersSent) {
      log.error({ err: error, method: request.method, path: request.path }, 'a request failed inside');
    }
    // Cut off: a broken stream must not look complete.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    sendError(request, response, known ?? new AppError('internal', 'Internal error'));
  };

const knownError = (error: unknown): AppError | null => {
  if (error instanceof AppError)
    return error.code === 'internal' ? new AppError('internal', 'Internal error') : error;
  if (!(error instanceof Error) || !('type' in error)) return null;
  switch (error.type) {
    case 'entity.parse.failed':
      return fieldError('body', 'must be JSON');
    case 'entity.too.large':
      return fieldError('body', 'must be at most 64 KiB', 'too_large');
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return fieldError('body', 'must be plain UTF-8 JSON', 'unsupported_media_type');
    case 'request.aborted':
    case 'request.size.invalid':
    case 'entity.verify.failed':
      return fieldError('body', 'did not arrive whole');
    default:
      return null;
  }
};

/** An error for a person at a browser: the dashboard is not there to draw it, or the address has no page. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const hint = (path: string): string =>
  path === '/'
    ? 'This treasury serves no dashboard. Start it with <code>npm start</code>, which builds one.'
    : 'This address is for programs, which send a key.';

/** A page without scripts. While the treasury starts, it asks again by itself. */
const errorPage = ({ status, message }: AppError, path: string): string => `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <meta name="color-scheme" content="light dark" />
  ${status === 503 ? '<meta http-equiv="refresh" content="2" />' : ''}
  <title>Agent Treasury</title>
  <h1>${status === 404 || status === 401 ? 'There is no page here' : 'Agent Treasury'}</h1>
  <p>${status === 401 ? hint(path) : escaped(message)}</p>
  ${path === '/' ? '' : '<p><a href="/">Go to the dashboard</a></p>'}
</html>
`;

const errorPagePolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
