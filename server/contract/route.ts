// The form of a route.

/**
 * The callers of a route, beside the owner: everyone (`public`); the agent that the path names; any agent; an identity
 * that signed in at a link session's page; nobody else (`owner`).
 */
export type Access = 'public' | 'agent' | 'any-agent' | 'identity' | 'owner';
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
export const thisAgent = open('agent');
export const anyAgent = open('any-agent');
export const identity = open('identity');
export const owner = open('owner');
