// How an error leaves: {error, code, details}. What is unknown shows as "Internal error" and is logged whole, once.
import type { ErrorRequestHandler, Response } from 'express';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';

export const sendError = (response: Response, error: AppError): void => {
  const { retryAt, retryAfterSeconds } = error.details ?? {};
  if (typeof retryAt === 'string') {
    response.setHeader('Retry-After', Math.max(1, Math.ceil((Date.parse(retryAt) - Date.now()) / 1_000)));
  } else if (typeof retryAfterSeconds === 'number') {
    response.setHeader('Retry-After', retryAfterSeconds);
  }
  if (error.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  const details = error.details === undefined ? {} : { details: error.details };
  response.status(error.status).json({ error: error.message, code: error.code, ...details });
};

export const errorHandler =
  (log: Log): ErrorRequestHandler =>
  (error: unknown, request, response, _next) => {
    const known = knownError(error);
    if (known === null || known.status === 500 || response.headersSent) {
      log.error({ err: error, method: request.method, path: request.path }, 'a request failed inside');
    }
    // A stream that breaks must not look complete.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    sendError(response, known ?? new AppError('internal', 'Internal error'));
  };

const knownError = (error: unknown): AppError | null => {
  if (error instanceof AppError)
    return error.code === 'internal' ? new AppError('internal', 'Internal error') : error;
  if (error instanceof z.ZodError) return new AppError('bad_request', fieldErrors(error));
  if (!(error instanceof Error) || !('type' in error)) return null;
  switch (error.type) {
    case 'entity.parse.failed':
      return new AppError('bad_request', 'body: must be JSON.');
    case 'entity.too.large':
      return new AppError('too_large', 'body: must be at most 64 KiB.');
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new AppError('unsupported_media_type', 'body: must be plain UTF-8 JSON.');
    case 'request.aborted':
    case 'request.size.invalid':
    case 'entity.verify.failed':
      return new AppError('bad_request', 'body: did not arrive whole.');
    default:
      return null;
  }
};

const mostFields = 20;

/** One sentence for each field that is wrong. */
const fieldErrors = (error: z.ZodError): string =>
  error.issues
    .flatMap((issue) => {
      const path = issue.path.join('.');
      if (issue.code === 'unrecognized_keys')
        return issue.keys.map(
          (key) => `${[path, key.slice(0, 80)].filter(Boolean).join('.')}: is not a field of this request`,
        );
      const missing = issue.code === 'invalid_type' && issue.input === undefined;
      return [
        `${path === '' ? 'body' : path}: ${missing ? 'is required and ' : ''}${lowerFirst(issue.message)}`,
      ];
    })
    .slice(0, mostFields)
    .join('; ') + '.';

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
