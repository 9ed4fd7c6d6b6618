// Everything that is JSON passes byte for byte, and is answered, whatever a double or a schema would make of it.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { readMessage, requestIn, type Request } from '../../../server/mcp/proxy/message.ts';
import { fingerprintOf } from '../../../server/mcp/proxy/repeated.ts';
import { proxied } from './wire.ts';

const { HOME, PATH, NODE_COMPILE_CACHE } = process.env;
let child: ChildProcessWithoutNullStreams | null = null;
afterEach(async () => {
  child?.stdin.end();
  if (child?.exitCode === null) await once(child, 'exit');
});

/** A host whose lines are latin1, so that each byte is a character. */
const open = (...args: string[]) => {
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
    const host = open('--name', 'echo', '--', process.execPath, '-e', echo);
    for (const [what, line] of Object.entries(passed)) {
      host.say(line);
      expect(await host.next(), what).toBe(line.replaceAll('"method":"m","params"', '"result"'));
    }
  });

  it('after a byte order mark is heard, and the mark is left out', async () => {
    const host = open('--name', 'echo', '--', process.execPath, '-e', echo);
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
    const host = open('--url', url);
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
    const host = open('--url', url);
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
    const host = open('--url', url, '--header', 'X-Api-Key: secret');
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
