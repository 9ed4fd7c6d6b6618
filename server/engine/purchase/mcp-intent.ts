// The intent to pay an MCP server. Only the agent says which server it asked, so a payee that is not pinned there is held
// for the owner, whose approval pins it (payment/pinned-payees.ts).
import { mcpNameIn, registering } from '../../contract/catalog/mcp-names.schemas.ts';
import { fieldError } from '../../errors.ts';
import type { EngineContext } from '../calls/call.ts';
import { mcpMethod, payeesOf } from '../domain/purchase.ts';
import type { Agent, Intent, Offer, Service } from '../ports.ts';
import { arePinned } from '../payment/decision/pinned-payees.ts';
import { intentOf } from './choose.ts';

interface Asked {
  /** `mcp:NAME`, or the URL of the server's endpoint. */
  resource: string;
  /** SHA-256, in hex, of the request to the server. */
  request: string;
  offer: Offer;
}

type Context = Pick<EngineContext, 'store'>;

/** @throws AppError `not_found` for a server that the owner did not register, `bad_request` for an endless URL */
export const mcpIntentOf = (context: Context, agent: Agent, { resource, request, offer }: Asked): Intent => {
  const asked = { method: mcpMethod, url: resource, body: request };
  const intent = intentOf(context, agent, { asked, offer, carrier: 'agent' });
  const server = serverAt(context, resource, offer.payee);
  const { id, name } = server;
  return {
    ...intent,
    serviceId: id,
    serviceName: arePinned(server, payeesOf(intent)) ? name : `${name}, as the agent says`,
    description: `Asked by the MCP server ${name}`.slice(0, 280),
  };
};

type Server = Pick<Service, 'id' | 'name' | 'payees'>;

const serverAt = ({ store }: Context, resource: string, payee: string): Server => {
  const { services } = store;
  const commandName = mcpNameIn(resource);
  if (commandName !== null) return services.listed(resource) ?? unregistered(commandName);
  const { origin, pathname, host } = new URL(resource);
  const id = `${origin}${pathname}`;
  if (id.length > mostIdLength) throw fieldError('resource', `must be at most ${mostIdLength} characters`);
  const known = [services.listed(id), services.at(origin, pathname)];
  return (
    known.find((one) => arePinned(one, [payee])) ?? known[0] ?? { id, name: `${host}${pathname}`, payees: [] }
  );
};

/** Of a service's id. */
const mostIdLength = 200;

const unregistered = (name: string): never => {
  throw fieldError(
    'resource',
    `there is no MCP server ${name} here. Its owner registers it with: ${registering(name)}`,
    'not_found',
  );
};
