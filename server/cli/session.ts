// How this terminal authenticates: as the owner, after `treasury login`, or as an agent with TREASURY_API_KEY.
import { createAgentClient, type AgentClient } from '../client/agent-client.ts';
import { createClient, send, type Client, type Sent } from '../client/client.ts';
import { readEndpoint } from '../client/endpoint.ts';
import { apiKeyOf, readIdentity } from '../client/identity.ts';
import { readToken } from '../client/terminal-token.ts';
import type { RouteName } from '../contract/routes.ts';
import type { Accepted, Input, Reply } from '../contract/schemas.ts';
import { tellOwner } from '../contract/refusals/to-owner.ts';
import { AppError } from '../errors.ts';
import { Ending } from './ending.ts';
import { moment } from './table.ts';
import { jsonText, show, type Terminal } from './terminal.ts';

export type Answer<N extends RouteName> = Reply<N> | Accepted<N>;

export interface Session {
  role: 'agent' | 'owner';
  /** @throws AppError as the treasury refused it */
  ask<N extends RouteName>(route: N, input?: Input<N> & Sent): Promise<Answer<N>>;
  /** The whole reply of a route that does not answer in JSON. @throws AppError as the treasury refused it */
  read<N extends RouteName>(route: N, input?: Input<N>): Promise<Uint8Array>;
}

/** @throws AppError `unauthorized` when this terminal was not let in by the owner */
export const asOwner = ({ dataDir }: Pick<Terminal, 'dataDir'>): Client => {
  const endpoint = readEndpoint(dataDir);
  const token = ownerToken({ dataDir });
  const client = explaining(createClient(endpoint, token), notLetIn().message);
  return { ...client, ask: (route, input) => client.ask(route, input).catch(toOwner(route, input)) };
};

const purchases: readonly RouteName[] = ['pay', 'fetch', 'generate'];

/** The owner who buys as an agent reads the owner's words: the refusal's own tell the agent to ask the owner. */
const toOwner =
  (route: RouteName, input: { params?: object } | undefined) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || !purchases.includes(route)) throw error;
    const { code, message, details = {} } = error;
    const { agentId = 'The agent' } = (input?.params ?? {}) as { agentId?: string };
    const { sentence } = tellOwner({
      agentName: agentId,
      service: null,
      failure: { code, message, details },
    });
    throw new AppError(code, sentence, details, { cause: error });
  };

/** @throws AppError `unauthorized` when this terminal was not let in by the owner */
const ownerToken = ({ dataDir }: Pick<Terminal, 'dataDir'>): string => {
  const token = readToken(dataDir);
  if (token === null) throw notLetIn();
  return token;
};

/** The reply of a route as a document that is read piece by piece, for the owner. */
export const documentFor = <N extends RouteName>(
  { dataDir }: Terminal,
  route: N,
  query: NonNullable<Input<N>['query']>,
): Promise<Response> => send(readEndpoint(dataDir), ownerToken({ dataDir }), route, { query } as Input<N>);

/** The agent where TREASURY_API_KEY is set: the lesser privilege comes first. */
export const asAgentOrOwner = (terminal: Terminal): Session => {
  const key = apiKeyOf(terminal.io.env);
  if (key === undefined || key === '') return { role: 'owner', ...asOwner(terminal) };
  const client = createClient(readEndpoint(terminal.dataDir), key);
  const words = 'TREASURY_API_KEY is no working key of this agent. Ask its owner for a new one.';
  return { role: 'agent', ...explaining(client, words) };
};

export interface Acting {
  session: Session;
  agentId: string;
}

/** The agent of the environment or of this machine’s link; or, as its owner, the one that is named. */
export const actingAgent = (terminal: Terminal, agent: string | undefined): Acting => {
  const { env, platform, home } = terminal.io;
  if (agent !== undefined) return { session: asAgentOrOwner(terminal), agentId: agent };
  const { agentId } = readIdentity(env, platform, home);
  return { session: sessionOf(asLinkedAgent(terminal)), agentId };
};

/** As the agent that this machine is linked to, or that the environment names. */
export const asLinkedAgent = ({ io, dataDir }: Terminal): AgentClient => {
  const env = { ...io.env, TREASURY_DATA: dataDir };
  return createAgentClient({ env, identify: () => readIdentity(env, io.platform, io.home) });
};

const sessionOf = (client: AgentClient): Session => ({
  role: 'agent',
  async ask<N extends RouteName>(route: N, { key, ...input }: Input<N> & Sent = {}) {
    const { body } = await client.ask(route, input as Input<N>, key === undefined ? {} : { key });
    return body as Answer<N>;
  },
  async read(route, input) {
    const { body } = await client.ask(route, input);
    return body as Uint8Array;
  },
});

const notLetIn = (): AppError =>
  new AppError(
    'unauthorized',
    'This terminal is not logged in. Run: treasury login (in a checkout: npm run -s treasury -- login)',
  );

/** Replaces the message of a 401. */
const explaining = (client: Client, words: string): Client => {
  const explain = (error: unknown): never => {
    throw error instanceof AppError && error.code === 'unauthorized'
      ? new AppError('unauthorized', words)
      : error;
  };
  return {
    ask: (route, input) => client.ask(route, input).catch(explain),
    read: (route, input) => client.read(route, input).catch(explain),
  };
};

/** Prints the reply. @throws Ending when the owner has to allow it first */
export const showAnswer = <N extends RouteName>(
  terminal: Terminal,
  answer: Answer<N>,
  lines: (done: Reply<N>) => readonly string[],
): void => {
  const asked = approvalIn(answer);
  if (asked === null) return show(terminal, answer, () => lines(answer as Reply<N>));
  if (terminal.json) terminal.print(jsonText(answer));
  throw new Ending(
    'ownersWord',
    `The owner has to allow this before ${moment(asked.expiresAt)}: treasury approve ${asked.approvalId}`,
    asked,
  );
};

const approvalIn = (answer: unknown): { approvalId: string; expiresAt: string } | null => {
  if (typeof answer !== 'object' || answer === null) return null;
  const { approvalId, expiresAt } = answer as { approvalId?: unknown; expiresAt?: unknown };
  return typeof approvalId === 'string' && typeof expiresAt === 'string' ? { approvalId, expiresAt } : null;
};
