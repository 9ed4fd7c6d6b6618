// `treasury fetch`: like curl, but it pays, as the agent that this machine is linked to.
import { randomUUID } from 'node:crypto';
import { InvalidArgumentError, type Command } from 'commander';
import { createAgentClient } from '../client/agent-client.ts';
import { AppError } from '../errors.ts';
import { readIdentity } from '../mcp/identity.ts';
import { createOpenCalls } from '../mcp/open-calls.ts';
import type { Bought } from '../mcp/quote.ts';
import type { Said } from '../mcp/tool.ts';
import { fetchPaid, type Fetched } from '../mcp/tools/paid-fetch.ts';
import { amount } from './arguments.ts';
import { Ending } from './ending.ts';
import { moment } from './table.ts';
import type { Terminal } from './terminal.ts';

interface FetchOptions {
  request?: 'GET' | 'POST';
  header: Record<string, string>;
  data?: string;
  service?: string;
  maxAmount?: string;
  include: boolean;
  wait: boolean;
}

export const addFetch = (program: Command, terminal: () => Terminal): void => {
  program
    .command('fetch <url>')
    .description('call an API and pay what it asks for, as the linked agent or with TREASURY_API_KEY')
    .option('-X, --request <method>', 'GET or POST (POST with --data)', method)
    .option('-H, --header <line>', 'a request header such as "Accept: text/plain"; repeatable', header, {})
    .option('-d, --data <text>', 'the body to POST')
    .option('--service <id>', 'whom to pay, when the API does not say')
    .option('--max-amount <usdc>', 'do not pay more than this', amount)
    .option('-i, --include', 'print status and headers before the answer', false)
    .option('--no-wait', 'end with 3 instead of waiting when the owner has to say yes first')
    .action((url: string, options: FetchOptions) => fetchUrl(terminal(), url, options));
};

const method = (text: string): 'GET' | 'POST' => {
  const upper = text.toUpperCase();
  if (upper === 'GET' || upper === 'POST') return upper;
  throw new InvalidArgumentError('It must be GET or POST.');
};

const header = (line: string, before: Record<string, string>): Record<string, string> => {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a name, a colon and a value.');
  return { ...before, [name]: value };
};

/** The answer's body goes to standard output, and nothing else does; an API's refusal ends with 1. */
const fetchUrl = async (terminal: Terminal, url: string, options: FetchOptions): Promise<void> => {
  const { io, json, print, note } = terminal;
  const env = { ...io.env, TREASURY_DATA: terminal.dataDir };
  const { data, header: headers, service, maxAmount } = options;
  const wanted = {
    url,
    method: options.request ?? (data === undefined ? ('GET' as const) : ('POST' as const)),
    headers,
    body: data,
    service,
    maxAmount,
  };
  const purchases = createOpenCalls<Bought>(randomUUID);
  const client = createAgentClient({ env, identify: () => readIdentity(env, io.platform, io.home) });
  const ask = () => fetchPaid(wanted, { client, purchases }, new AbortController().signal);
  const { text, content } = await settled(terminal, ask, options.wait).catch((error: unknown) => {
    throw error instanceof AppError ? explained(error) : error;
  });
  if (json) print(JSON.stringify(content));
  if (!json) {
    if (options.include) for (const line of headOf(content)) print(line);
    io.out(content.encoding === 'utf8' ? content.body : Buffer.from(content.body, 'base64'));
  }
  if (content.payment !== null) note(text);
  if (content.status >= 400) throw new Ending('refused', `The API answered ${content.status}.`);
};

type Done = Exclude<Fetched, { message: string }>;

/** Asked again, a purchase goes on where it stood. @throws Ending when it waits for the owner and nobody is to wait */
const settled = async (
  { note }: Terminal,
  ask: () => Promise<Said<Fetched>>,
  mayWait: boolean,
): Promise<Said<Done>> => {
  for (let isTold = false; ; isTold = true) {
    const { text, content } = await ask();
    if (!('message' in content)) return { text, content };
    const isOwners = content.status === 'awaiting_approval';
    if (isOwners && !mayWait)
      throw new Ending(
        'ownersWord',
        `The owner has to allow this before ${moment(content.expiresAt ?? '')}: treasury approve ${content.approvalId ?? ''}. Its receipt is then in: treasury payment ${content.paymentId}`,
      );
    if (isTold) continue;
    note(
      isOwners
        ? `Waiting for the owner to allow it: treasury approve ${content.approvalId ?? ''}`
        : `Waiting for the payment ${content.paymentId} to be confirmed.`,
    );
  }
};

const headOf = ({ status, headers }: Done): string[] => [
  `HTTP ${status}`,
  ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  '',
];

/** A model would call the tool again; a person looks at the payment, whose receipt is worth what was paid. */
const explained = (error: AppError): AppError => {
  const paymentId = error.details?.['paymentId'];
  return typeof paymentId === 'string'
    ? new AppError(error.code, `${error.message} Its receipt: treasury payment ${paymentId}`, error.details)
    : error;
};
