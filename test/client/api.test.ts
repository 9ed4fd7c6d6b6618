// The typed client reaches every route of the interface, and tells what each answers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type TreasuryClient } from '../../server/client/package/api.ts';
import { TreasuryError } from '../../server/client/package/treasury-error.ts';
import { routes } from '../../server/contract/routes.ts';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';

type AnyCall = (path: string, call?: object) => Promise<{ status: number; data: unknown }>;
let treasury: Treasury;
let agent: TestAgent;
let client: Record<keyof TreasuryClient<object>, AnyCall>;
beforeAll(async () => {
  treasury = await openTreasury();
  agent = await deploy(treasury.client, 'scout');
  const { url, owner } = treasury.host;
  client = createClient({
    url,
    owner,
    agentId: agent.agentId,
    apiKey: agent.key,
  }) as unknown as typeof client;
});
afterAll(() => treasury.close());

interface Document {
  paths: Record<string, Record<string, { operationId: string }>>;
}
const failure = (call: Promise<unknown>): Promise<TreasuryError> =>
  call.then(
    () => Promise.reject(new Error('it was answered')),
    (error: unknown) => error as TreasuryError,
  );

const nowhere = (method: string, path: string): string => `There is no ${method.toUpperCase()} ${path}.`;

it('reaches every route', async () => {
  const document = (await client.get('/v1/openapi.json')).data as Document;
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({ path, method: method as keyof typeof client })),
  );
  expect(operations).toHaveLength(Object.keys(routes).length);
  const lost = await failure(client.get('/v1/nowhere'));
  expect([lost.status, lost.message]).toEqual([404, nowhere('get', '/v1/nowhere')]);
  const reached: Record<string, number> = {};
  for (const { path, method } of operations) {
    const named = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'none']));
    const filled: Record<string, string> = {
      ...named,
      ...('agentId' in named ? { agentId: agent.agentId } : {}),
    };
    const what = `${method} ${path}`;
    try {
      const { status, data } = await client[method](path, { path: filled, body: {} });
      reached[status] = (reached[status] ?? 0) + 1;
      if (data instanceof Response) await data.body?.cancel();
    } catch (error) {
      expect(error, what).toBeInstanceOf(TreasuryError);
      const { status, message, code } = error as TreasuryError;
      const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => filled[name] ?? '');
      expect(message, what).not.toBe(nowhere(method, at));
      expect([405, null], what).not.toContain(status);
      expect(code, what).not.toBe('internal');
      reached[String(status)] = (reached[String(status)] ?? 0) + 1;
    }
  }
  expect(Object.keys(reached)).toEqual(expect.arrayContaining(['200', '400', '403', '404']));
});

describe('an answer', () => {
  it('is JSON, or what is still to be read', async () => {
    const events = await client.get('/v1/agents/{agentId}/events');
    expect(events.data).toBeInstanceOf(Response);
    await (events.data as Response).body?.cancel();
    expect((await client.get('/v1/agents/{agentId}/balance')).data).toMatchObject({ currency: 'USDC' });
  });

  it('of 202 is told from one that is over', async () => {
    const other = await deploy(treasury.client, 'held', { policy: { approveAbove: '0' } });
    const { url, owner } = treasury.host;
    const held = createClient({ url, owner, agentId: 'held', apiKey: other.key }) as unknown as typeof client;
    const body = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
    const headers = { 'Idempotency-Key': 'order-1' };
    const answer = await held.post('/v1/agents/{agentId}/pay', { body, headers });
    expect(answer).toMatchObject({ status: 202, data: { status: 'awaiting_approval' } });
    expect(await held.post('/v1/agents/{agentId}/pay', { body, headers })).toEqual(answer);
  });

  it('names the fields of a wrong request', async () => {
    const wrong = await failure(client.post('/v1/agents/{agentId}/pay', { body: { amount: '-1' } }));
    expect(wrong).toMatchObject({ code: 'bad_request', details: { fields: { amount: expect.any(String) } } });
  });
});

describe('a call', () => {
  it('without a parameter of its path is refused before it is sent', async () => {
    await expect(client.get('/v1/agents/{agentId}/payments/{paymentId}')).rejects.toThrow(
      new TypeError('path: must have paymentId'),
    );
  });

  it('does not give its key to a program that does not know it', async () => {
    const stranger = { url: treasury.host.url, agentId: 'scout', apiKey: `atk_${'x'.repeat(43)}` };
    const refused = await failure(
      (createClient(stranger) as unknown as typeof client).get('/v1/agents/{agentId}/balance'),
    );
    expect(refused).toMatchObject({ code: 'unauthorized', status: null });
    expect(refused.message).toContain('The key was not sent');
  });

  it('is told that no treasury runs', async () => {
    const nobody = { url: 'http://127.0.0.1:9', agentId: 'scout', apiKey: agent.key };
    const refused = await failure(
      (createClient(nobody) as unknown as typeof client).get('/v1/agents/{agentId}/balance'),
    );
    expect(refused).toMatchObject({
      code: 'halted',
      nextStep: expect.stringContaining('Start the treasury'),
    });
  });
});
