// The requests to a treasury with a long past: the dashboard's first requests, lists with their filters, and payments.
import { randomUUID } from 'node:crypto';
import type { Client } from '../../harness/http-client.ts';
import type { Process } from '../../harness/treasury.ts';
import type { Work } from '../bench/measure.ts';
import type { Payers } from './build-store.ts';
import type { Question } from './compare.ts';

export interface Side {
  host: Process;
  payers: Payers['payers'];
  /** A payment in the middle of the past. */
  middle: { cursor: number; id: string; day: string };
}

export const sideOf = async (host: Process, payers: Payers['payers']): Promise<Side> => {
  const newest = (await host.client.get('/v1/activity?limit=1')).body['entries'][0] as { cursor: number };
  const half = Math.max(2, Math.floor(newest.cursor / 2));
  const { entries } = (await host.client.get(`/v1/activity?limit=1&before=${half}`)).body;
  const [{ cursor, id, timestamp }] = entries as [{ cursor: number; id: string; timestamp: string }];
  return { host, payers, middle: { cursor, id, day: timestamp.slice(0, 10) } };
};

const get =
  ({ host }: Side, path: string): Work =>
  async () => {
    const { status, text } = await host.client.get(path);
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${text.slice(0, 300)}`);
  };

/** The agents in turn, each payment with a key of its own. */
export const payOn = ({ host, payers }: { host: { client: Client }; payers: Payers['payers'] }): Work => {
  const own = payers.map(({ agentId, key }) => ({ agentId, client: host.client.as(key) }));
  let turn = 0;
  return async () => {
    const { agentId, client } = own[(turn += 1) % own.length] ?? {};
    const body = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
    const paid = await client?.post(`/v1/agents/${agentId}/pay`, body, { key: randomUUID() });
    if (paid?.status !== 200) throw new Error(`a payment was answered ${paid?.status}: ${paid?.text}`);
  };
};

const first = ({ payers }: Side): string => payers[0]?.agentId ?? '';

interface Sides {
  large: Side;
  small: Side;
  empty: Side;
}

export const questionsOf = ({ large, small, empty }: Sides): Question[] => {
  const against =
    (floor: Side) =>
    (id: string, what: string, path: (side: Side) => string, samples = 40): Question => ({
      id,
      what,
      large: get(large, path(large)),
      floor: get(floor, path(floor)),
      samples,
    });
  const toEmpty = against(empty);
  const toSmall = against(small);
  return [
    { id: 'pay', what: 'POST /pay', large: payOn(large), floor: payOn(empty), samples: 400, warmUp: 50 },
    toSmall('dashboard', 'the snapshot', () => '/v1/dashboard', 60),
    toSmall('spending', 'the charts of 30 days', () => '/v1/spending?days=30', 20),
    toEmpty('agents', 'all agents', () => '/v1/agents'),
    toEmpty('approvals', 'approvals', () => '/v1/approvals?limit=200'),
    toSmall('diagnostics', 'the diagnostics', () => '/v1/diagnostics', 10),
    toSmall('history', 'activity, first page', () => '/v1/activity?limit=200'),
    toSmall(
      'deep',
      'activity, from the middle',
      ({ middle }) => `/v1/activity?limit=200&before=${middle.cursor}`,
    ),
    toSmall('agent', 'activity of an agent', (side) => `/v1/activity?limit=20&agentId=${first(side)}`),
    toSmall('service', 'activity of a service', () => '/v1/activity?limit=100&serviceId=service-7'),
    toSmall(
      'unpaid-service',
      'of a service never paid',
      () => '/v1/activity?limit=100&serviceId=service-x',
      10,
    ),
    toSmall('denied', 'activity, denied', () => '/v1/activity?limit=100&status=denied'),
    toSmall('failed', 'activity, failed (there are none)', () => '/v1/activity?limit=100&status=failed', 5),
    toSmall(
      'kind',
      'activity, withdrawals (there are none)',
      () => '/v1/activity?limit=100&kind=withdrawal',
      5,
    ),
    toSmall(
      'day',
      'activity of a day',
      ({ middle: { day } }) => `/v1/activity?limit=20&from=${day}&to=${day}`,
    ),
    // From the middle, since the newest payments were made here, all to another service.
    toSmall(
      'text',
      'text that many have',
      ({ middle }) => `/v1/activity?limit=100&q=service-7&before=${middle.cursor}`,
    ),
    toSmall('text-id', 'text: a payment’s id', ({ middle: { id } }) => `/v1/activity?limit=100&q=${id}`, 5),
    toSmall('text-none', 'text that nothing has', () => '/v1/activity?limit=100&q=quicksilver', 3),
    toSmall('transfer', 'one transfer', ({ middle: { id } }) => `/v1/transfers/${id}`),
    toSmall('own', 'spend history of an agent', (side) => `/v1/agents/${first(side)}/spend-history?limit=20`),
    toEmpty('search', 'search of the catalog', () => '/v1/services/search?q=weather'),
    toEmpty('search-typo', 'search with an error', () => '/v1/services/search?q=wether+twon'),
    toEmpty('balance', 'an agent’s balance', (side) => `/v1/agents/${first(side)}/balance`),
  ];
};
