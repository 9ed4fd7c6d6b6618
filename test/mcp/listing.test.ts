// The text that an MCP host gives the model before its first message, and the size of each answer: nothing is told
// twice.
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOfKey, healthProof } from '../../server/contract/host/health-proof.ts';
import { nextSteps } from '../../server/mcp/next-steps.ts';
import { createStdioClient, initialize } from '../lab/bench/stdio-client.ts';
import { eras, openBridge, script } from './bridge.ts';

const apiKey = 'atk_of_a_test';
const env = { TREASURY_AGENT_ID: 'scout', TREASURY_API_KEY: apiKey, TREASURY_OWNER: 'me' };
const mostCharacters = 14_000;

const send = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

describe('the list of tools', () => {
  it('has at most 14,000 characters on the wire', async () => {
    const client = createStdioClient(script, env);
    await initialize(client);
    const listed = (await client.call('tools/list', {})) as { tools: { name: string }[] };
    await client.close();
    expect(listed.tools).toHaveLength(20);
    expect(JSON.stringify(listed).length).toBeLessThanOrEqual(mostCharacters);
  });

  it.each(eras)('has no more characters for a client of the kind "%s"', async (era) => {
    const bridge = await openBridge(env, era);
    const { tools } = bridge;
    await bridge.close();
    expect(JSON.stringify({ tools }).length).toBeLessThanOrEqual(mostCharacters);
    for (const one of tools) expect(one, one.name).not.toHaveProperty('outputSchema');
    // The proxy's own steps are for calls of other servers' tools.
    const steps = Object.keys(nextSteps).filter((name) => name !== 'proxied_call');
    expect(tools.map(({ name }) => name).toSorted()).toEqual(steps.toSorted());
  });

  it('has one type for each field, and no keyword that a model host refuses', async () => {
    const bridge = await openBridge(env);
    const { tools } = bridge;
    await bridge.close();
    const check = (schema: Record<string, unknown>, place: string): void => {
      const { properties = {}, items, additionalProperties } = schema;
      expect(schema['type'], place).toBeTypeOf('string');
      for (const keyword of ['const', 'propertyNames', 'anyOf', 'oneOf', 'allOf', '$ref', '$schema'])
        expect(schema, place).not.toHaveProperty(keyword);
      for (const [name, inner] of Object.entries({ ...(properties as object), items, additionalProperties }))
        if (typeof inner === 'object') check(inner as Record<string, unknown>, `${place}.${name}`);
    };
    for (const { name, inputSchema } of tools) check({ ...inputSchema }, name);
  });
});

describe('waitSeconds', () => {
  let preferred: string[] = [];
  /** A host that knows the API key, and reports each payment as under way. */
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === '/v1/health') {
      const proof = healthProof(hashOfKey(apiKey), url.searchParams.get('nonce') ?? '', ownUrl());
      send(response, 200, { ok: true, proof });
    } else {
      preferred.push(String(request.headers['prefer']).split(',')[0] ?? '');
      send(response, 202, { paymentId: 'pay_1', status: 'pending', message: '' });
    }
  });
  const ownUrl = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  it.each([
    ['pay', { service: 'weather', amount: '1' }],
    ['paid_fetch', { url: 'https://a.example/' }],
  ])('of %s is the time that the treasury may hold its answer', async (name, args) => {
    preferred = [];
    const bridge = await openBridge({ ...env, TREASURY_URL: ownUrl() });
    for (const waitSeconds of [0, 7, undefined])
      await bridge.call(name, waitSeconds === undefined ? args : { ...args, waitSeconds });
    const tooLong = await bridge.call(name, { ...args, waitSeconds: 51 });
    await bridge.close();
    expect(preferred).toEqual(['wait=0', 'wait=7', 'wait=20']);
    expect(tooLong).toMatchObject({ isError: true, content: { code: 'bad_request' } });
    expect(tooLong.text).toContain('waitSeconds: must be at most 50');
  });
});
