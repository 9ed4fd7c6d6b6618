// The place that a path of the proxy names: `/v1/agents/:agentId/proxy/https/<host>/<path>?<query>`.
import { fieldError } from '../../errors.ts';

export interface Place {
  agentId: string;
  /** As the paid fetch has it, for the policy and the catalog. */
  url: string;
  /** Path and query, byte for byte. */
  target: string;
}

const proxied = /^\/v1\/agents\/([^/?]+)\/proxy\/([^/?]*)\/([^/?]*)(\/[^?]*)?(\?.*)?$/s;

export const isProxied = (target: string): boolean => /^\/v1\/agents\/[^/?]+\/proxy(?:[/?]|$)/.test(target);

/**
 * @param target of the request, as it was sent
 * @throws AppError `bad_request` for what would be another place once its seller, or we, normalize it
 */
export const placeOf = (target: string): Place => {
  const [, agentId = '', scheme = '', host = '', path = '', query = ''] = proxied.exec(target) ?? [];
  if (!/^https?$/.test(scheme))
    throw fieldError(
      'path',
      'must be /v1/agents/AGENT/proxy/https/HOST/PATH, or …/http/… where that is allowed',
    );
  if (/[@\\]|%(?:2f|5c|40)/i.test(host) || host === '')
    throw fieldError('path', 'must name a host after …/proxy/https/, with its port where it has one');
  if (/%5c|\\/i.test(path)) throw fieldError('path', 'must have no backslash');
  if (path.split(/\/|%2f/i).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    throw fieldError('path', 'must have no segment of dots');
  if (target.includes('#')) throw fieldError('path', 'must have no fragment');
  const sent = `${path === '' ? '/' : path}${query}`;
  const text = `${scheme}://${host}${sent}`;
  if (!URL.canParse(text)) throw fieldError('path', `must name a host; ${host} is none`);
  // It leads to the same host, and would be another service.
  if (new URL(text).hostname.endsWith('.')) throw fieldError('path', 'must not end its host with a dot');
  return { agentId, url: new URL(text).href, target: sent };
};

/** The address by which a client of the proxy reaches another place; null where the proxy leads to none. */
export const placeThroughProxy = (location: string, { agentId, url }: Place): string | null => {
  if (!URL.canParse(location, url)) return null;
  const { protocol, host, pathname, search, hash } = new URL(location, url);
  if (protocol !== 'https:' && protocol !== 'http:') return null;
  return `/v1/agents/${agentId}/proxy/${protocol.slice(0, -1)}/${host}${pathname}${search}${hash}`;
};
