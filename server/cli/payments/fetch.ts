// `treasury fetch`: like curl, but it pays, as the agent that this machine is linked to.
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { InvalidArgumentError, type Command } from 'commander';
import type { AgentClient } from '../../client/agent-client.ts';
import { acknowledge, fetchTimes } from '../../client/fetch-times.ts';
import type { Accepted, Input, Reply } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { sentenceOf } from '../../mcp/tools/paid-fetch.ts';
import { amount, idempotencyKey, once, reasonOption, wholeNumber } from '../arguments.ts';
import { withExamples } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { asLinkedAgent } from '../session.ts';
import { inert, moment } from '../table.ts';
import { jsonText, type Terminal } from '../terminal.ts';
import { writePrivate } from './write-file.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

interface FetchOptions {
  request?: Method;
  header: Record<string, string>;
  data?: string;
  maxAmount?: string;
  reason?: string;
  timeout?: number;
  maxBytes?: number;
  output?: string;
  key?: string;
  include: boolean;
  wait: boolean;
}

export const addFetch = (program: Command, terminal: () => Terminal): void => {
  withExamples(program.command('fetch <url>'), [
    'treasury fetch https://api.example.com/report --max-amount 0.10 -o report.json',
    'treasury fetch https://api.example.com/search -d \'{"q":"solana"}\' -H "Content-Type: application/json"',
  ])
    .description('call an API and pay what it asks for, as the linked agent or with TREASURY_API_KEY')
    .option('-X, --request <method>', 'GET, POST, PUT, PATCH or DELETE (POST with --data)', method)
    .option('-H, --header <line>', 'a request header such as "Accept: text/plain"; repeatable', header, {})
    .option(
      '-d, --data <text>',
      'the body to send, as a form unless -H names a Content-Type; @FILE reads it, @- reads standard input; repeated, joined by &',
      data,
    )
    .option('--max-amount <usdc>', 'do not pay more than this', amount)
    .option('--reason <text>', reasonOption[1])
    .option('--timeout <seconds>', 'how long a paid answer may take (300)', wholeNumber)
    .option('--max-bytes <bytes>', 'how large the answer may be (33554432)', wholeNumber)
    .option('-o, --output <file>', 'write the answer there; - is standard output')
    .option(
      '--key <text>',
      'Idempotency-Key: goes on with a payment instead of making another',
      idempotencyKey,
    )
    .option('-i, --include', 'print status and headers before the answer', false)
    .option('--no-wait', 'end with 3 instead of waiting when the owner has to approve first')
    .action((url: string, options: FetchOptions) => fetchUrl(terminal(), url, options));
};

const method = (text: string): Method => {
  const found = methods.find((name) => name === text.toUpperCase());
  if (found !== undefined) return found;
  throw new InvalidArgumentError(`It must be ${methods.slice(0, -1).join(', ')} or DELETE.`);
};

const header = (line: string, before: Record<string, string>): Record<string, string> => {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a name, a colon and a value.');
  const known = Object.keys(before).find((one) => one.toLowerCase() === name.toLowerCase());
  return known === undefined
    ? { ...before, [name]: value }
    : { ...before, [known]: `${before[known]}${known.toLowerCase() === 'cookie' ? '; ' : ', '}${value}` };
};

/** As curl reads it: line ends of a file are left out. */
const data = (text: string, before?: string): string => {
  const read = text.startsWith('@') ? linesOf(text.slice(1)) : text;
  return before === undefined ? read : `${before}&${read}`;
};

const linesOf = (file: string): string => {
  const bytes = readingFile(file);
  if (!isUtf8(bytes)) throw new InvalidArgumentError(`${file} is not UTF-8 text.`);
  return bytes.toString().replaceAll(/[\r\n\0]/g, '');
};

const readingFile = (file: string): Buffer => {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw new InvalidArgumentError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
};

/** Only the answer's body goes to standard output; an API's refusal exits with 1. */
const fetchUrl = async (terminal: Terminal, url: string, options: FetchOptions): Promise<void> => {
  const { io, json, print, note } = terminal;
  const client = asLinkedAgent(terminal);
  const answer = await once(options.key, (key) =>
    settled(terminal, client, bodyOf(url, options), {
      key,
      // A key given with --key already identifies the purchase to go on with.
      continues: options.key === undefined,
      mayWait: options.wait,
    }),
  );
  const body = answer.encoding === 'utf8' ? answer.body : Buffer.from(answer.body, 'base64');
  const file = options.output === '-' ? undefined : options.output;
  if (file !== undefined) writePrivate(file, body);
  if (json) print(jsonText(file === undefined ? answer : { ...answer, body: '' }));
  else {
    if (options.include) for (const line of headOf(answer)) print(line);
    if (file === undefined) io.out(body);
  }
  if (answer.payment !== null) {
    note(inert(sentenceOf(answer)));
    await acknowledge(client, answer.payment.paymentId);
  }
  if (answer.status >= 400)
    throw new Ending('failed', `The API answered ${answer.status}.`, { status: answer.status });
};

type FetchBody = NonNullable<Input<'fetch'>['body']>;

const bodyOf = (
  url: string,
  { request, header: headers, data: body, maxAmount, reason, timeout, maxBytes }: FetchOptions,
): FetchBody => ({
  url,
  method: request ?? (body === undefined ? 'GET' : 'POST'),
  headers: body === undefined ? headers : withType(headers),
  ...(body === undefined ? {} : { body }),
  ...(maxAmount === undefined ? {} : { maxAmount }),
  ...(reason === undefined ? {} : { reason }),
  ...(timeout === undefined ? {} : { timeoutSeconds: timeout }),
  ...(maxBytes === undefined ? {} : { maxBytes }),
});

/** A body is a form unless its type is named. */
const withType = (headers: Record<string, string>): Record<string, string> =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
    ? headers
    : { ...headers, 'content-type': 'application/x-www-form-urlencoded' };

/** Each retry presents the payment to the seller again, who may need a moment. */
const [leastMs, mostMs] = [1_000, 16_000];

/**
 * Repeats the request under its idempotency key until the purchase is settled; each repetition resumes it.
 * @throws Ending when it waits for the owner and `mayWait` is false, or when it is paid and not delivered
 */
const settled = async (
  { note }: Terminal,
  client: AgentClient,
  body: FetchBody,
  { key, continues, mayWait }: { key: string; continues: boolean; mayWait: boolean },
): Promise<Reply<'fetch'>> => {
  let lastNote = '';
  for (let pauseMs = leastMs; ; pauseMs = Math.min(2 * pauseMs, mostMs)) {
    const startedAt = performance.now();
    const answer = await client
      .ask('fetch', { body }, { key, continues: continues ? 1 : 0, ...fetchTimes(body) })
      .catch((error: unknown) => {
        throw undelivered(error, key);
      });
    if (answer.status === 200) return answer.body;
    if (answer.body.status === 'awaiting_approval' && !mayWait)
      throw new Ending('ownersWord', `${waitsForOwner(answer.body)} Then repeat this with --key ${key}`, {
        ...answer.body,
        key,
      });
    const words = whyNotYet(answer.body);
    if (words !== lastNote) note(`${words} Interrupted, it goes on with --key ${key}`);
    lastNote = words;
    await wait(Math.max(0, startedAt + pauseMs - performance.now()));
  }
};

const waitsForOwner = ({ expiresAt, approvalId }: Accepted<'fetch'>): string =>
  `The owner has to allow this before ${moment(expiresAt ?? '')}: treasury approve ${approvalId ?? ''}.`;

const whyNotYet = ({ status, approvalId, paymentId, seller, delivering }: Accepted<'fetch'>): string => {
  if (status === 'awaiting_approval')
    return `Waiting for the owner to allow it: treasury approve ${approvalId ?? ''}.`;
  if (delivering === true) return `It is paid (${paymentId}), and its answer is still being delivered.`;
  const said = seller === undefined ? '' : ` The seller ${saidBy(seller)}.`;
  return `Waiting for what becomes of the payment ${paymentId}.${said}`;
};

const saidBy = ({ status, error }: NonNullable<Accepted<'fetch'>['seller']>): string =>
  status === null ? 'did not answer' : `answered ${status}: ${inert(error).slice(0, 200)}`;

const headOf = ({ status, headers }: Reply<'fetch'>): string[] => [
  `HTTP ${status}`,
  ...Object.entries(headers).map(([name, value]) => inert(`${name}: ${value}`)),
  '',
];

/** The treasury's message suits a model, which would call the tool again; a person gets the command to type. */
const undelivered = (error: unknown, key: string): unknown => {
  if (!(error instanceof AppError) || error.details?.['paymentId'] === undefined) return error;
  const paymentId = String(error.details['paymentId']);
  const option = { answer_too_large: '--max-bytes', answer_too_slow: '--timeout' }[String(error.code)];
  if (option !== undefined)
    return new Ending(
      'undelivered',
      `${error.message} Repeat it with --key ${key} and a higher ${option} (payment ${paymentId}).`,
      { ...error.details, key },
      error.code,
    );
  if (error.code !== 'not_delivered') return error;
  return new Ending(
    'undelivered',
    `${error.message} See it with: treasury payment ${paymentId}. Repeated with --key ${key} it shows the same payment again and does not pay.`,
    { ...error.details, key },
    error.code,
  );
};
