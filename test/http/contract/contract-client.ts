// A client that checks every answer against the contract: a 2xx has exactly the fields of its reply schema, an error
// exactly {error, code, details}.
import type { z } from 'zod';
import { codeTable } from '../../../server/errors.ts';
import { routes, type Route, type RouteName } from '../../../server/contract/routes.ts';
import { exchanges } from '../../../server/contract/schemas.ts';
import type { Answer, Client } from '../../harness/http-client.ts';

const patterns = (Object.entries(routes) as [RouteName, Route][]).map(([name, { method, path }]) => ({
  name,
  method,
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
}));

/** Literal paths come before those with a parameter, as they do in the router. */
const routeOf = (method: string, path: string): RouteName | undefined =>
  patterns.find((one) => one.method === method && one.pattern.test(path.replace(/\?.*/, '')))?.name;

export interface Checked extends Client {
  /** Routes that answered 2xx and were checked. */
  seen: Set<RouteName>;
}

export const checked = (client: Client, seen = new Set<RouteName>()): Checked => {
  const call: Client['call'] = async (method, path, sent) => {
    const answer = await client.call(method, path, sent);
    const name = routeOf(method, path);
    if (name !== undefined) checkAnswer(name, answer);
    if (name !== undefined && answer.status < 300) seen.add(name);
    return answer;
  };
  return {
    call,
    get: (path, sent) => call('GET', path, sent),
    post: (path, body, sent) => call('POST', path, { ...sent, body }),
    as: (token) => checked(client.as(token), seen),
    close: client.close,
    seen,
  };
};

/** Streams, files and pictures. */
const inAnotherForm: readonly RouteName[] = [
  'statement',
  'books',
  'events',
  'agentEvents',
  'answer',
  'taskImage',
];

const checkAnswer = (name: RouteName, { status, body, text, headers }: Answer): void => {
  const complain = (what: string): never => {
    throw new Error(`${name} answered ${status}, ${what}: ${text.slice(0, 500)}`);
  };
  if (status >= 300) {
    const { error, code, details, ...rest } = body;
    const known =
      typeof code === 'string' &&
      Object.entries(codeTable).some(([one, facts]) => one === code && facts.status === status);
    if (typeof error !== 'string' || error === '' || !known)
      complain('without a sentence or the code of its status');
    if (Object.keys(rest).length > 0 || (details !== undefined && typeof details !== 'object'))
      complain('with more');
    return;
  }
  if (inAnotherForm.includes(name)) return;
  const exchange = exchanges[name];
  const schema: z.ZodType | undefined =
    status === 202 ? ('accepted' in exchange ? exchange.accepted : undefined) : exchange.reply;
  const parsed = schema?.safeParse(body);
  if (parsed?.success !== true) return complain(`which is not its contract (${String(parsed?.error)})`);
  if (JSON.stringify(parsed.data) !== JSON.stringify(sortLike(body, parsed.data)))
    complain('with fields beside its contract');
  if (!String(headers['content-type']).startsWith('application/json')) complain('as another type');
};

/** `value` with its fields in the order of `like`, and fields that `like` lacks at the end. */
const sortLike = (value: unknown, like: unknown): unknown => {
  if (Array.isArray(value))
    return value.map((item, index) => sortLike(item, Array.isArray(like) ? like[index] : undefined));
  if (typeof value !== 'object' || value === null || typeof like !== 'object' || like === null) return value;
  const [own, order] = [value as Record<string, unknown>, like as Record<string, unknown>];
  const names = [
    ...Object.keys(order).filter((name) => name in own),
    ...Object.keys(own).filter((name) => !(name in order)),
  ];
  return Object.fromEntries(names.map((name) => [name, sortLike(own[name], order[name])]));
};
