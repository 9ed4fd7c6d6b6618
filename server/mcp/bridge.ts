// The bridge: an agent's treasury as tools of the Model Context Protocol. It is a client of /v1 and nothing more.
import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/server';
import packageJson from '../../package.json' with { type: 'json' };
import { createAgentClient } from '../client/agent-client.ts';
import { createNews } from '../client/agent-news.ts';
import { readIdentity } from '../client/identity.ts';
import { createBuyer } from './buy.ts';
import type { BridgeDeps, Tool } from './tool.ts';
import { accountTools } from './tools/account.ts';
import { catalogTools } from './tools/catalog.ts';
import { delegationTools } from './tools/delegation.ts';
import { paidFetch } from './tools/paid-fetch.ts';
import { imageTools } from './tools/images.ts';
import { paymentTools } from './tools/payments.ts';
import { policyTools } from './tools/policy.ts';
import { requestTools } from './tools/requests.ts';

const tools: readonly Tool[] = [
  ...accountTools,
  ...catalogTools,
  paidFetch,
  ...imageTools,
  ...paymentTools,
  ...policyTools,
  ...requestTools,
  ...delegationTools,
];

const instructions = `Pays for APIs in USDC within limits that the owner of this machine's treasury has set. \
Find a service with find_service and call it with paid_fetch; make pictures with generate_image. When a limit stops you, explain_policy says why; \
request_budget and allocate_budget ask the owner. Answers with an approvalId wait for a person: go on with other work.`;

interface BridgeOptions {
  env: NodeJS.ProcessEnv;
  self: BridgeDeps['self'];
}

/** Returns a function that makes a server for each connection; all share one client. */
export const createBridge = ({ env, self }: BridgeOptions): (() => McpServer) => {
  const identify = () => readIdentity(env);
  const client = createAgentClient({ env, identify });
  const deps: BridgeDeps = {
    client,
    buyer: createBuyer(client, randomUUID),
    news: createNews(client),
    newKey: randomUUID,
    agentId: () => identify().agentId,
    self,
    env,
  };
  return () => {
    const server = new McpServer(
      { name: 'agent-treasury', title: 'Agent Treasury', version: packageJson.version },
      { instructions },
    );
    for (const one of tools) one.register(server, deps);
    return server;
  };
};
