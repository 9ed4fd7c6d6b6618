// Messages between host, proxy and server. Everything that is JSON passes byte for byte, and is answered, whatever a double or
// a schema would make of it. Paid calls are tried at a clock that the test moves, since some take longer than a host waits:
// there, host, server and treasury are stand-ins. And the server that the proxy's arguments name, or a variable where secrets
// must not be read by others.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { wrappedBy } from '../../../server/mcp/proxy/command.ts';
import {
  messageOf,
  readMessage,
  requestIn,
  type Message,
  type Request,
} from '../../../server/mcp/proxy/message.ts';
import type { Payment } from '../../../server/mcp/proxy/payments.ts';
import type { Peer } from '../../../server/mcp/proxy/peer.ts';
import { openPipe } from '../../../server/mcp/proxy/pipe.ts';
import { fingerprintOf, type Proof } from '../../../server/mcp/proxy/repeated.ts';
import { proxied, type Line } from './wire.ts';

const { HOME, PATH, NODE_COMPILE_CACHE } = process.env;
let child: ChildProcessWithoutNullStreams | null = null;
afterEach(async () => {
  child?.stdin.end();
  if (child?.exitCode === null) await once(child, 'exit');
});

/** A host whose lines are latin1, so that each byte is a character. */
const openHost = (...args: string[]) => {
  const [command = '', ...rest] = proxied(...args);
  const started = spawn(command, rest, { env: { HOME, PATH, NODE_COMPILE_CACHE }, stdio: 'pipe' });
  child = started;
  const lines = createInterface(started.stdout.setEncoding('latin1'))[Symbol.asyncIterator]();
  return {
    say: (line: string) => void started.stdin.write(Buffer.from(`${line}\n`, 'latin1')),
    next: async (): Promise<string> => String((await lines.next()).value),
  };
};

/** Says what it hears, as it came, with `method` made a result. */
const echo = `
  require('node:readline').createInterface(process.stdin.setEncoding('latin1')).on('line', (line) =>
    process.stdout.write(line.replaceAll('"method":"m","params"', '"result"') + '\\n', 'latin1'));
`;

const passed: Record<string, string> = {
  'an integer that no double holds':
    '{"jsonrpc":"2.0","id":1,"method":"m","params":{"v":12345678901234567890}}',
  'a decimal with a zero at its end': '{"jsonrpc":"2.0","id":1,"method":"m","params":{"v":1.0}}',
  'a number beyond every double': '{"jsonrpc":"2.0","id":1,"method":"m","params":{"v":1e400}}',
  'an id that no double holds': '{"jsonrpc":"2.0","id":9007199254740993,"method":"m","params":{}}',
  'a name of every object': '{"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":{"a":1}}}',
  'a member named twice': '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"a":2}}',
  'a member that no schema knows': '{"jsonrpc":"2.0","id":1,"method":"m","params":{},"trace":"t"}',
  'an error that is null': '{"jsonrpc":"2.0","id":1,"method":"m","params":{},"error":null}',
  'a result that is no object': '{"jsonrpc":"2.0","id":1,"method":"m","params":"ok"}',
  'white space and escapes': '{ "jsonrpc" : "2.0","id":1, "method":"m","params":{"v":"\\u00e9\\/"} } ',
  'bytes that are no UTF-8': '{"jsonrpc":"2.0","id":1,"method":"m","params":{"v":"\xff\xe9"}}',
  'a batch':
    '[{"jsonrpc":"2.0","id":1,"method":"m","params":{}}, {"jsonrpc":"2.0","id":2,"method":"m","params":{}}]',
  'a call whose arguments no double holds':
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"v":9007199254740993}}}',
};

describe('a message', () => {
  it('passes byte for byte, both ways', async () => {
    const host = openHost('--name', 'echo', '--', process.execPath, '-e', echo);
    for (const [what, line] of Object.entries(passed)) {
      host.say(line);
      expect(await host.next(), what).toBe(line.replaceAll('"method":"m","params"', '"result"'));
    }
  });

  it('after a byte order mark is heard, and the mark is left out', async () => {
    const host = openHost('--name', 'echo', '--', process.execPath, '-e', echo);
    host.say('\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"m","params":{}}');
    expect(await host.next()).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
  });
});

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('latin1');
};

describe('a server behind a URL', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });
  /** Resolves with its URL. */
  const serve = async (
    answer: (request: IncomingMessage, body: string, response: ServerResponse) => void,
  ) => {
    const server = createServer((request, response) => {
      void bodyOf(request).then((body) => answer(request, body, response));
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  };

  it('gets each message byte for byte, and its answers stay on one line', async () => {
    const url = await serve((_request, body, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(Buffer.from(body.replaceAll('"method":"m","params"', '\n"result"'), 'latin1'));
    });
    const host = openHost('--url', url);
    for (const [what, line] of Object.entries(passed)) {
      // Over HTTP text is UTF-8.
      if (what === 'bytes that are no UTF-8') continue;
      host.say(line);
      const echoed = line.replaceAll('"method":"m","params"', '\n"result"').replaceAll('\n', ' ');
      expect(await host.next(), what).toBe(echoed);
    }
  });

  it('that misses the header of a tool gets the call again with it, once the tool is known', async () => {
    const property = { type: 'string', 'x-mcp-header': 'Region' };
    const tools = [{ name: 't', inputSchema: { type: 'object', properties: { region: property } } }];
    const heard: string[] = [];
    const url = await serve((request, body, response) => {
      const { id, method } = JSON.parse(body) as { id: unknown; method: string };
      const region = request.headers['mcp-param-region'];
      heard.push(`${method} ${String(region)}`);
      const missing = method === 'tools/call' && region === undefined;
      const answer = missing ? { error: { code: -32020, message: 'header' } } : { result: { tools } };
      response.writeHead(missing ? 400 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
    const host = openHost('--url', url);
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const params = { name: 't', arguments: { region: 'Zürich' }, _meta };
    host.say(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
    expect(JSON.parse(await host.next())).toMatchObject({ id: 1, result: {} });
    // The host's bytes are latin1 here, and its header is the same bytes in base64.
    expect(heard).toEqual([
      'tools/call undefined',
      'tools/list undefined',
      `tools/call =?base64?${Buffer.from(Buffer.from('Zürich', 'latin1').toString()).toString('base64')}?=`,
    ]);
  });

  it('is followed to another place of its origin, and its headers and messages to no other origin', async () => {
    const elsewhere: string[] = [];
    const other = await serve((_request, body, response) => {
      elsewhere.push(body);
      response.end();
    });
    const url = await serve(({ url: path = '' }, body, response) => {
      const { id, method } = JSON.parse(body) as { id: unknown; method: string };
      const location = method === 'ping' ? other : '/moved';
      if (method === 'ping' || path === '/mcp') return response.writeHead(307, { location }).end();
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { path } }));
    });
    const host = openHost('--url', url, '--header', 'X-Api-Key: secret');
    host.say('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(JSON.parse(await host.next())).toMatchObject({ id: 1, result: { path: '/moved' } });
    host.say('{"jsonrpc":"2.0","id":2,"method":"ping"}');
    expect(JSON.parse(await host.next())).toMatchObject({ id: 2, error: { code: -32000 } });
    expect(elsewhere).toEqual([]);
  });
});

const fingerprint = (args: string): string => {
  const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":${args}}}`;
  const message = readMessage(Buffer.from(text));
  const request = requestIn({ text, said: message?.said as Request['said'] });
  return request === null ? expect.fail(text) : fingerprintOf(request);
};

describe('two calls', () => {
  it.each([
    ['9007199254740993', '9007199254740992'],
    ['0.1000000000000000055', '0.1'],
    ['1e400', '1e401'],
    ['1e-400', '0'],
  ])('are two purchases where a double makes %s and %s one number', (one, other) => {
    expect(fingerprint(`{"v":${one}}`)).not.toBe(fingerprint(`{"v":${other}}`));
  });

  it.each([
    ['1.0', '1'],
    ['1e3', '1000'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['0.0', '0'],
  ])('are one purchase where %s and %s are the same number', (one, other) => {
    expect(fingerprint(`{"v":${one}}`)).toBe(fingerprint(`{"v":${other}}`));
  });
});

const nothing = (): void => {};

/** An end of the pipe: what it hears, and how it speaks. */
const endOfPipe = () => {
  const heard: Line[] = [];
  const texts: string[] = [];
  let say: (message: Message) => void = nothing;
  const peer: Peer = {
    async start(listen) {
      say = listen;
    },
    async send(message) {
      heard.push(message.said as Line);
      texts.push(message.text);
    },
    flushed: () => Promise.resolve(),
    pause() {},
    resume() {},
  };
  const sayText = (text: string): void => say(messageOf(text));
  const sayLine = (message: Line): void => sayText(JSON.stringify({ jsonrpc: '2.0', ...message }));
  return { heard, texts, peer, sayText, say: sayLine };
};

const required = {
  x402Version: 2,
  accepts: [{ scheme: 'exact', network: 'n', amount: '1', asset: 'a', payTo: 'p' }],
};
const demanded = {
  isError: true,
  structuredContent: required,
  content: [{ type: 'text', text: JSON.stringify(required) }],
};
const slow = { name: 'slow', arguments: {}, _meta: { progressToken: 't' } };

const open = async () => {
  const [host, server] = [endOfPipe(), endOfPipe()];
  let [payments, received] = [0, 0];
  let grant: (proof: Proof) => void = nothing;
  const pay = (): Payment => {
    payments += 1;
    const proof = new Promise<Proof>((resolve) => (grant = resolve));
    return {
      proof: () => proof,
      id: () => 'pay_1',
      received: async () => void (received += 1),
      leave() {},
    };
  };
  const ends = { host: host.peer, server: server.peer, hostClosed() {}, serverClosed() {} };
  await openPipe({ ...ends, pay, patienceMs: 45_000 });
  const call = (id: number): void => {
    host.say({ id, method: 'tools/call', params: slow });
    server.say({ id, result: demanded });
  };
  return {
    host,
    server,
    call,
    grant: () => grant({ key: 'x402/payment', value: { paid: true } }),
    counts: () => ({ payments, received }),
    answersTo: (wanted: number) => host.heard.filter(({ id }) => id === wanted),
    /** Requests that show the server a payment. */
    shown: () => server.heard.filter(({ params }) => params?._meta?.['x402/payment'] !== undefined),
  };
};
const oddCall = (id: string, meta: string): string =>
  `{"id":${id}, "method":"tools/call","params":{"name":"t","arguments":{"v":12345678901234567890,"w":1.0},"_meta":{"a":1e400${meta}}},"trace":[1.0]}`;
const requestOf = (id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t","arguments":{}}}`;

describe('a paid call', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('waits for a server that was shown a payment as long as it takes, and pays once', async () => {
    const { call, grant, server, answersTo, shown, counts } = await open();
    call(1);
    grant();
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect([answersTo(1), shown()]).toEqual([[], [expect.anything()]]);
    server.say({ id: shown()[0]?.['id'], result: { content: [{ type: 'text', text: 'at last' }] } });
    await vi.advanceTimersByTimeAsync(1);
    expect(answersTo(1)).toMatchObject([{ result: { content: [{ text: 'at last' }] } }]);
    expect(counts()).toEqual({ payments: 1, received: 1 });
  });

  it('gives a call up while the owner is awaited, and its purchase to the next equal call', async () => {
    const { call, grant, server, answersTo, shown, counts } = await open();
    call(1);
    await vi.advanceTimersByTimeAsync(45_000);
    expect(answersTo(1)).toMatchObject([{ result: { isError: true } }]);
    call(2);
    grant();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(shown()).toHaveLength(1);
    server.say({ id: shown()[0]?.['id'], result: { content: [{ type: 'text', text: 'bought' }] } });
    await vi.advanceTimersByTimeAsync(1);
    expect(answersTo(2)).toMatchObject([{ result: { content: [{ text: 'bought' }] } }]);
    expect(counts()).toEqual({ payments: 1, received: 1 });
  });

  it('tells the host of its progress until the server is shown the payment, below the server’s own', async () => {
    const { call, grant, host } = await open();
    const told = (): Line[] => host.heard.filter(({ method }) => method === 'notifications/progress');
    call(1);
    await vi.advanceTimersByTimeAsync(21_000);
    expect(told().map(({ params }) => params.progressToken)).toEqual(['t', 't', 't', 't']);
    const steps = told().map(({ params }) => Number(params.progress));
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect(Math.max(...steps)).toBeLessThan(0.001);
    grant();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told()).toHaveLength(4);
  });

  it('changes nothing of a paid call but its id and its payment, and nothing of the answer but the id', async () => {
    const { host, server, grant, shown, counts } = await open();
    host.sayText(oddCall('9007199254740993', ''));
    server.sayText(`{"jsonrpc":"2.0","id":9007199254740993,"result":${JSON.stringify(demanded)}}`);
    grant();
    await vi.advanceTimersByTimeAsync(1);
    const own = JSON.stringify(shown()[0]?.['id']);
    expect(server.texts).toEqual([
      oddCall('9007199254740993', ''),
      oddCall(own, ',"x402/payment": {"paid":true}'),
    ]);
    server.sayText(`{"result":{"v":0.10}, "id":${own} ,"trace":1e400}`);
    await vi.advanceTimersByTimeAsync(1);
    expect(host.texts).toEqual(['{"result":{"v":0.10}, "id":9007199254740993 ,"trace":1e400}']);
    expect(counts()).toEqual({ payments: 1, received: 1 });
  });

  it('buys what one response of a batch demands, and passes on the others at once', async () => {
    const { host, server, grant, shown } = await open();
    host.sayText(`[${requestOf(1)}, ${requestOf(2)}]`);
    expect(server.texts).toEqual([`[${requestOf(1)}, ${requestOf(2)}]`]);
    server.sayText(
      `[{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(demanded)}},{"jsonrpc":"2.0","id":2,"result":{"free":1.0}}]`,
    );
    expect(host.texts).toEqual(['[{"jsonrpc":"2.0","id":2,"result":{"free":1.0}}]']);
    grant();
    await vi.advanceTimersByTimeAsync(1);
    server.say({ id: shown()[0]?.['id'], result: { content: [] } });
    await vi.advanceTimersByTimeAsync(1);
    expect(host.heard.at(-1)).toEqual({ jsonrpc: '2.0', id: 1, result: { content: [] } });
  });

  it('passes on a demand for a call that is nested too deep to be compared, and buys nothing', async () => {
    const { host, server, counts } = await open();
    const args = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
    host.sayText(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":${args}}}`);
    server.say({ id: 1, result: demanded });
    expect(host.heard).toMatchObject([{ id: 1, result: { isError: true } }]);
    expect(counts()).toEqual({ payments: 0, received: 0 });
  });
});

const variable = (value: unknown) => ({
  TREASURY_SERVER: typeof value === 'string' ? value : JSON.stringify(value),
});

describe('the wrapped server', () => {
  const none = { header: [] };
  const url = 'https://mcp.example.com/mcp?k=1';

  it('is the one of the variable where the arguments name none', () => {
    expect(wrappedBy([], none, variable({ url, headers: { Authorization: 'Bearer a: b' } }))).toEqual({
      url: new URL(url),
      headers: { Authorization: 'Bearer a: b' },
    });
  });

  it('is that of the arguments where they name one', () => {
    const kept = variable({ url, headers: {} });
    expect(wrappedBy(['npx', 'x'], { ...none, name: 'x' }, kept)).toEqual({
      name: 'x',
      command: ['npx', 'x'],
    });
    const other = 'https://other.example/';
    expect(wrappedBy([], { ...none, url: other }, kept)).toEqual({ url: new URL(other), headers: {} });
  });

  it.each([
    ['', 'must be JSON'],
    ['{', 'must be JSON'],
    [{ url }, 'must be JSON'],
    [{ url, headers: { a: 1 } }, 'must be JSON'],
    [{ url, headers: {}, more: 1 }, 'must be JSON'],
    [{ url: 'ftp://a.example', headers: {} }, 'must be an https URL'],
    [{ url, headers: { 'a b': 'c' } }, 'must be written as'],
  ])('is refused in the form %j', (value, why) => {
    expect(() => wrappedBy([], none, variable(value))).toThrow(why);
  });
});
