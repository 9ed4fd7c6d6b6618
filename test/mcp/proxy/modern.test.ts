// The newest revision of MCP, over stdio and over HTTP: x402's extension binding sells tools, prompts and resources.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPeer, type Peer } from '../../harness/peers.ts';
import { instantly } from '../../harness/treasury.ts';
import { debitsOf } from '../chain.ts';
import { allow, call, openMarket, pendingOf, register, textOf, type Market } from './market.ts';
import { initialize, openWire, proxied, type Line } from './wire.ts';

let market: Market;
let remote: Peer;
let url = '';
beforeAll(async () => {
  market = await openMarket(instantly);
  const [, , settings = '{}'] = market.x402Server({ http: true });
  remote = await startPeer('x402-v2', 'mcp-server', JSON.parse(settings) as Line);
  url = remote.says['url'] ?? '';
  await register(market, 'weather', market.x402);
}, 600_000);
afterAll(async () => {
  await remote.end();
  await market.close();
});

const debits = async (): Promise<number> =>
  (await debitsOf(market.sandbox.rpcUrl, market.agent.wallet)).length;

const connect = async (...args: string[]): Promise<Client> => {
  const [command = '', ...rest] = proxied(...args);
  const env = Object.fromEntries(
    Object.entries(market.env()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StdioClientTransport({ command, args: rest, env, stderr: 'pipe' }));
  expect(client.getProtocolEra()).toBe('modern');
  return client;
};

describe.each(['a command', 'a URL'])('a modern server behind %s', (kind) => {
  it('is paid for its tools, prompts and resources, each once', async () => {
    const isCommand = kind === 'a command';
    const client = await connect(
      ...(isCommand ? ['--name', 'weather', '--', ...market.x402] : ['--url', `${url}?key=secret`]),
    );
    const before = await debits();
    const asking = client.callTool({ name: 'weather', arguments: { city: 'Faro' } });
    const shown = await allow(market);
    expect(shown).toMatchObject({
      because: 'payee_changed',
      saidByAgent: true,
      service: isCommand ? 'mcp:weather' : url,
      payee: market.payee,
    });
    expect(JSON.stringify(shown)).not.toContain('secret');
    expect(JSON.stringify(await asking)).toContain('Faro');
    expect(JSON.stringify(await client.getPrompt({ name: 'paid-prompt' }))).toContain('bought');
    expect(JSON.stringify(await client.readResource({ uri: 'paid://report' }))).toContain('bought');
    expect(await pendingOf(market)).toBeUndefined();
    expect(await debits()).toBe(before + 3);
    await client.close();
  });
});

describe('a server behind a URL', () => {
  it('serves an older host too, with the headers that it wants', async () => {
    const wire = openWire(proxied('--url', url, '--header', 'X-Own: 1'), market.env());
    await initialize(wire);
    const before = await debits();
    expect(textOf(await call(wire, 'weather', { city: 'Faro' }))).toContain('Faro');
    expect(await debits()).toBe(before + 1);
    expect(await wire.end()).toBe(0);
  });

  it('that goes away leaves no call without an answer', async () => {
    const wire = openWire(proxied('--url', 'http://127.0.0.1:1/mcp'), market.env());
    const answer = await wire.ask('tools/list');
    expect(textOf(answer)).toContain('cannot be reached');
    expect(await wire.end()).toBe(0);
  });
});
