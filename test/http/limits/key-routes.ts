// The routes of a delegated key, and for each of them a call that its key may make, with all that the call needs.
import { routes, urlOf, type Route, type RouteName } from '../../../server/contract/routes.ts';
import type { Answer, Sent } from '../../harness/http-client.ts';
import { until, type Treasury } from '../../harness/treasury.ts';
import { delegate, type Slice } from './slices.ts';

export const keyRoutes = (Object.entries(routes) as [RouteName, Route][]).flatMap(([name, { access }]) =>
  access === 'key' ? [name] : [],
);

const day = 86_400_000;

/** A key that ends with the one above it, or in a day. */
export const aTask = ({ host }: Treasury, above?: Slice) => ({
  label: 'a task',
  expiresAt: String(
    above?.reply['expiresAt'] ?? new Date(host.engine.context.time.now() + day).toISOString(),
  ),
  dailyBudget: '0.50',
});

const weatherOf = ({ host }: Treasury): string => `${host.url}/sandbox/weather?city=Oslo`;

const draw = async ({ client }: Treasury): Promise<object> => {
  const { models } = (await client.get('/v1/models')).body as { models: { id: string }[] };
  if (models[0] === undefined) throw new Error('the sandbox has an image model');
  return { prompt: 'a fox', modelId: models[0].id, resolution: '1k' };
};

/** The body that a route needs, where it needs one. */
export const bodyOf = async (treasury: Treasury, route: RouteName, by?: Slice): Promise<object> => {
  const paid = { service: 'sandbox-weather', amount: '0.01' };
  if (route === 'pay') return { ...paid, currency: 'USDC' };
  if (route === 'explainPolicy') return paid;
  if (route === 'fetch') return { url: weatherOf(treasury) };
  if (route === 'generate') return draw(treasury);
  return route === 'delegateKey' ? { ...aTask(treasury, by), dailyBudget: '0.01' } : {};
};

const delivered = async (treasury: Treasury, agentId: string, { client }: Slice): Promise<string> => {
  const { body, text } = await client.post(`/v1/agents/${agentId}/fetch`, { url: weatherOf(treasury) });
  const paymentId: unknown = body['payment']?.paymentId;
  if (typeof paymentId !== 'string') throw new Error(text);
  const { store } = treasury.host.engine.context;
  await until('the answer to be kept', () => store.answers.get(paymentId));
  return paymentId;
};

const drawn = async (treasury: Treasury, agentId: string, { client }: Slice): Promise<string> => {
  const { body, text } = await client.post(`/v1/agents/${agentId}/generate`, await draw(treasury));
  const taskId = String(body['taskId']);
  if (body['taskId'] === undefined) throw new Error(text);
  const read = () => client.get(`/v1/agents/${agentId}/tasks/${taskId}`);
  await until('the picture', async () => (await read()).body['status'] === 'success');
  return taskId;
};

/** All that the path of a route names, made with this key. */
const namedIn = async (treasury: Treasury, agentId: string, slice: Slice, route: RouteName) => {
  const { path } = routes[route];
  if (path.includes(':paymentId')) return { paymentId: await delivered(treasury, agentId, slice) };
  if (path.includes(':taskId')) return { taskId: await drawn(treasury, agentId, slice) };
  if (!path.includes(':delegatedKeyId')) return {};
  const child = await delegate(slice.client, agentId, { ...aTask(treasury, slice), dailyBudget: '0.01' });
  return { delegatedKeyId: child.keyId };
};

export interface Prepared {
  route: RouteName;
  slice: Slice;
  namesOwn: boolean;
  /** Makes the call, with its own key or with that of another. */
  call(by?: Slice, sent?: Sent): Promise<Answer>;
}

/** A call of this route that the key may make, and has not made. */
export const prepare = async (
  treasury: Treasury,
  agentId: string,
  slice: Slice,
  route: RouteName,
): Promise<Prepared> => {
  const { method, path } = routes[route];
  const names = await namedIn(treasury, agentId, slice, route);
  const url = urlOf(path, treasury.owner, { params: { agentId, ...names } });
  const body = method === 'POST' ? { body: await bodyOf(treasury, route, slice) } : {};
  return {
    route,
    slice,
    namesOwn: Object.keys(names).length > 0,
    call: (by = slice, sent = {}) => by.client.call(method, url, { ...body, ...sent }),
  };
};
