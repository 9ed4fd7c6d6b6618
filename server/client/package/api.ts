// A thin client of /v1: the methods of HTTP, with paths, parameters and answers typed by the `paths` of an OpenAPI
// document. The package brings those of its version as `agent-treasury-client/v1`.
import { connect } from './connection.ts';
import type { TreasuryOptions } from './options.ts';

type Method = 'get' | 'post' | 'delete';

/** The paths that have this method. */
type PathsWith<P, M extends Method> = {
  [K in keyof P]: P[K] extends Record<M, object> ? K : never;
}[keyof P];

type OperationOf<P, K extends keyof P, M extends Method> = P[K] extends Record<M, infer O> ? O : never;

/** A field that is required when its value has a required one. */
type Field<N extends string, T> = [T] extends [never]
  ? unknown
  : Record<never, never> extends T
    ? { [Name in N]?: T }
    : { [Name in N]: T };

/** Parameters of one kind; never without any. The client fills in those of `Filled`. */
type ParametersOf<O, Kind extends string, Filled extends string> = O extends {
  parameters: { [K in Kind]?: infer T };
}
  ? [NonNullable<T>] extends [never]
    ? never
    : Omit<NonNullable<T>, Filled> & Partial<Pick<NonNullable<T>, Filled & keyof NonNullable<T>>>
  : never;

type BodyOf<O> = O extends { requestBody?: infer B }
  ? NonNullable<B> extends { content: { 'application/json': infer T } }
    ? T
    : never
  : never;

/** `path` may leave out `agentId`, and `query` may leave out `owner`: they are those of the environment. */
export type CallOf<O> = Field<'path', ParametersOf<O, 'path', 'agentId'>> &
  Field<'query', ParametersOf<O, 'query', 'owner'>> &
  Field<'headers', ParametersOf<O, 'header', never>> &
  Field<'body', BodyOf<O>> & { signal?: AbortSignal };

/** JSON is parsed; anything else comes as the response itself, whose body is still to be read. */
type DataOf<R> = R extends { content: infer C }
  ? { [T in keyof C]: T extends 'application/json' ? C[T] : Response }[keyof C]
  : undefined;

/** 200, or 202 for what is not over. */
export type AnswerOf<O> = O extends { responses: infer R }
  ? { [S in keyof R & (200 | 202)]: { status: S; data: DataOf<R[S]> } }[keyof R & (200 | 202)]
  : never;

type Caller<P, M extends Method> = <K extends PathsWith<P, M>>(
  path: K,
  ...call: Record<never, never> extends CallOf<OperationOf<P, K, M>>
    ? [call?: CallOf<OperationOf<P, K, M>>]
    : [call: CallOf<OperationOf<P, K, M>>]
) => Promise<AnswerOf<OperationOf<P, K, M>>>;

export interface TreasuryClient<P> {
  get: Caller<P, 'get'>;
  post: Caller<P, 'post'>;
  delete: Caller<P, 'delete'>;
}

interface Given {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
  signal?: AbortSignal;
}

/**
 * Its methods reject with a TreasuryError as the treasury refused them, with the reason of an aborted signal, and with a
 * TypeError for a path whose parameter is not given. A request that moves money needs an Idempotency-Key in `headers` to
 * be repeated when no answer came; a GET is always repeated.
 */
export const createClient = <P>(options: TreasuryOptions = {}): TreasuryClient<P> => {
  const connection = connect(options);
  const call =
    (method: Uppercase<Method>) =>
    async (path: string, { path: parameters = {}, query = {}, headers = {}, body, signal }: Given = {}) => {
      const isKeyed = Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key');
      const response = await connection.send({
        target: ({ owner }, { agentId }) =>
          filled(path, { agentId, ...parameters }) + searchOf({ ...(owner !== null && { owner }), ...query }),
        init: ({ apiKey }) => ({
          method,
          headers: {
            ...(method === 'GET' ? {} : { 'Content-Type': 'application/json' }),
            ...headers,
            Authorization: `Bearer ${apiKey}`,
          },
          ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
        }),
        isRefusal: ({ ok }) => !ok,
        isRepeatable: method === 'GET' || isKeyed,
        ...(signal && { signal }),
      });
      const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
      return { status: response.status, data: isJson ? await response.json() : response };
    };
  // The types are those of the document, which no code can know.
  return { get: call('GET'), post: call('POST'), delete: call('DELETE') } as unknown as TreasuryClient<P>;
};

const filled = (path: string, parameters: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined) throw new TypeError(`path: must have ${name}`);
    return encodeURIComponent(value);
  });

const searchOf = (query: Readonly<Record<string, unknown>>): string => {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
  ).toString();
  return search === '' ? '' : `?${search}`;
};
