// The form of a route, and its address for a call.

/**
 * The callers of a route, beside the owner: everyone (`public`); the agent that the path names, also by a delegated key
 * (`key`) or by its own keys alone (`agent`); any agent; an identity that signed in at a link session's page; nobody
 * else (`owner`).
 */
export type Access = 'public' | 'key' | 'agent' | 'any-agent' | 'identity' | 'owner';
type Method = 'GET' | 'POST' | 'DELETE';

export interface Route {
  method: Method;
  path: string;
  access: Access;
  summary: string;
}

type Line = `${Method} /${string}`;
type MethodOf<L> = L extends `${infer M extends Method} ${string}` ? M : never;
type PathOf<L> = L extends `${Method} ${infer P}` ? P : never;

const open =
  <const A extends Access>(access: A) =>
  <const L extends Line>(line: L, summary: string) => {
    const [method, path] = line.split(' ') as [MethodOf<L>, PathOf<L>];
    return { method, path, access, summary };
  };

export const anyone = open('public');
export const anyKey = open('key');
export const thisAgent = open('agent');
export const anyAgent = open('any-agent');
export const identity = open('identity');
export const owner = open('owner');

/** Whether a route takes an `owner` parameter. */
export const needsOwner = ({ access }: Route): boolean => access !== 'public' && access !== 'identity';

type Values = Readonly<Record<string, unknown>>;

/** A route's path with its parameters filled in, followed by the owner and the query. */
export const urlOf = (
  path: string,
  ownerAddress: string,
  { params = {}, query = {} }: { params?: unknown; query?: unknown } = {},
): string => {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String((params as Values)[name])),
  );
  const search = new URLSearchParams({ owner: ownerAddress });
  for (const [name, value] of Object.entries(query as Values)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return `${filled}?${search}`;
};
