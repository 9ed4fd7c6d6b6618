// The type of a route.

/**
 * The callers of a route, beside the owner: everyone (`public`); the agent that the path names; any agent; an identity
 * that signed in at a link session's page; nobody else (`owner`).
 */
export type Access = 'public' | 'agent' | 'any-agent' | 'identity' | 'owner';

export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  access: Access;
  summary: string;
}
