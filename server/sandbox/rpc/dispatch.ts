// JSON-RPC 2.0: takes one call or a batch, returns the answer as text.
import { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Methods } from './context.ts';
import { RpcError, rpcCodes } from './errors.ts';

type Id = string | number | null;
interface Call {
  id: Id | undefined;
  method: string;
  params: readonly unknown[];
}

/** Answers the text of a request; null when it holds only notifications. */
export const answer = (methods: Methods, text: string, log: Log): string | null => {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    return JSON.stringify(failure(null, rpcCodes.parse, 'Parse error'));
  }
  if (!Array.isArray(request)) {
    const one = answerOne(methods, request, log);
    return one && JSON.stringify(one);
  }
  if (request.length === 0) return JSON.stringify(failure(null, rpcCodes.invalidRequest, 'Invalid request'));
  const answers = request.map((call) => answerOne(methods, call, log)).filter((one) => one !== null);
  return answers.length === 0 ? null : JSON.stringify(answers);
};

const answerOne = (methods: Methods, request: unknown, log: Log): object | null => {
  const call = readCall(request);
  if (call === null) return failure(null, rpcCodes.invalidRequest, 'Invalid request');
  const result = run(methods, call, log);
  return call.id === undefined ? null : { jsonrpc: '2.0', ...result, id: call.id };
};

const run = (methods: Methods, { method, params }: Call, log: Log): object => {
  const start = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!start) return { error: { code: rpcCodes.methodNotFound, message: 'Method not found' } };
  try {
    return { result: start(params) ?? null };
  } catch (error) {
    return { error: errorBody(error, method, log) };
  }
};

const errorBody = (error: unknown, method: string, log: Log): object => {
  if (error instanceof RpcError) {
    const { code, message, data } = error;
    return data === undefined ? { code, message } : { code, message, data };
  }
  if (error instanceof AppError) return { code: rpcCodes.internal, message: error.message };
  log.error({ err: error, method }, 'a method failed');
  return { code: rpcCodes.internal, message: 'Internal error' };
};

const readCall = (request: unknown): Call | null => {
  if (typeof request !== 'object' || request === null) return null;
  const { id, method, params = [] } = request as Record<string, unknown>;
  const isId = id === undefined || id === null || typeof id === 'string' || typeof id === 'number';
  return isId && typeof method === 'string' && (params === null || Array.isArray(params))
    ? { id, method, params: params ?? [] }
    : null;
};

const failure = (id: Id, code: number, message: string): object => ({
  jsonrpc: '2.0',
  error: { code, message },
  id,
});
