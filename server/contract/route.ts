// What a route is.

/**
 * Who may call: everybody; the agent that the path names and the owner; any agent's key and the owner; who signed in as
 * an identity of the owner, and the owner; the owner.
 */
export type Access = 'public' | 'agent' | 'any-agent' | 'identity' | 'owner';

export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  access: Access;
  summary: string;
}
