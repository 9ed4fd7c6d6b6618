// The reference server with every feature says the same, message for message, with the proxy before it and without. And
// MCP's conformance suite judges its official client alike, with the proxy before the suite's servers and without; the
// scenarios of `auth/` are left out: the proxy does not sign in.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '../../harness/kinds.ts';
import { installPeer, peerFile } from '../../harness/programs/peers.ts';
import { removeFolder, temporaryFolder, until } from '../../harness/treasury.ts';
import { initialize, type Line, openWire, proxied, type Wire } from './wire.ts';

let command: string[] = [];
beforeAll(async () => {
  const script = '@modelcontextprotocol/server-everything/dist/index.js';
  command = [process.execPath, await peerFile('mcp-everything', script)];
}, 600_000);

const { HOME = '', PATH = '' } = process.env;
/** The server tells its environment: both ways it gets the same. */
const env = { HOME, PATH };

const sampled = {
  result: { role: 'assistant', model: 'none', content: { type: 'text', text: 'sampled' } },
};
const answers: Record<string, Line> = {
  'sampling/createMessage': sampled,
  'elicitation/create': { result: { action: 'accept', content: { name: 'Ada' } } },
  'roots/list': { result: { roots: [{ uri: 'file:///tmp', name: 'tmp' }] } },
  ping: { result: {} },
};

const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };

/** Everything that a host can say, one after the other. Returns all that it heard. */
const converse = async (wire: Wire): Promise<Line[]> => {
  wire.onRequest(({ method }) => answers[String(method)] ?? { error: { code: -32601, message: 'unknown' } });
  await initialize(wire, capabilities);
  // The server asks for the roots by a timer of its own.
  await until('the roots', () => JSON.stringify(wire.heard.at(-1)).includes('Roots updated'));
  const tool = (name: string, args: Line = {}, meta?: Line) =>
    wire.ask('tools/call', { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) });
  await wire.ask('ping');
  await wire.ask('tools/list');
  await wire.ask('resources/list', {});
  await wire.ask('resources/templates/list', {});
  await wire.ask('prompts/list', {});
  await wire.ask('prompts/get', { name: 'simple-prompt' });
  await wire.ask('prompts/get', { name: 'args-prompt', arguments: { city: 'Lisbon', state: '' } });
  await wire.ask('completion/complete', {
    ref: { type: 'ref/prompt', name: 'completable-prompt' },
    argument: { name: 'department', value: 'E' },
  });
  await wire.ask('logging/setLevel', { level: 'debug' });
  await tool('echo', { message: 'sun 🌞\n{"x402Version":2,"accepts":[]}' }, { 'test/own': [1, { a: null }] });
  await tool('get-sum', { a: 1, b: 2.5 });
  await tool('get-env');
  await tool('get-tiny-image');
  await tool('get-annotated-message', { messageType: 'error', includeImage: true });
  await tool('get-resource-links', { count: 3 });
  await tool('get-structured-content', { location: 'Chicago' });
  await tool('no-such-tool', {});
  await tool('trigger-long-running-operation', { duration: 0.3, steps: 3 }, { progressToken: 'p-1' });
  await tool('trigger-sampling-request', { prompt: 'hello', maxTokens: 5 });
  await tool('trigger-elicitation-request');
  await tool('get-roots-list');
  await wire.ask('resources/subscribe', { uri: 'demo://resource/dynamic/text/1' });
  await wire.ask('resources/unsubscribe', { uri: 'demo://resource/dynamic/text/1' });
  await wire.ask('no/such-method', { a: 1 });
  wire.send({ jsonrpc: '2.0', method: 'notifications/of-our-own', params: { b: 2 } });
  await wire.ask('ping', {}, 'an id of text');
  await cancelled(wire);
  return wire.heard;
};

/** A cancelled call has no answer, and the server goes on. */
const cancelled = async (wire: Wire): Promise<void> => {
  const request = { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } };
  wire.send({ jsonrpc: '2.0', id: 'to-cancel', method: 'tools/call', params: request });
  const params = { requestId: 'to-cancel', reason: 'enough' };
  wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  await wire.ask('tools/call', { ...request, arguments: { duration: 0.5, steps: 1 } }, 'afterwards');
};

describe('a wrapped server', () => {
  it('says the same, message for message', async () => {
    const [direct, wrapped] = [openWire(command, env), openWire(proxied('--', ...command), env)];
    const [expected, heard] = await Promise.all([converse(direct), converse(wrapped)]);
    expect(await Promise.all([direct.end(), wrapped.end()])).toEqual([0, 0]);
    expect(expected.length).toBeGreaterThan(35);
    expect(expected.some(({ method }) => method === 'notifications/progress')).toBe(true);
    expect(expected.some(({ method }) => method === 'elicitation/create')).toBe(true);
    expect(heard).toEqual(expected);
    expect(wrapped.stderr()).toBe(direct.stderr());
  });
});

const results = temporaryFolder();
let peer = '';
let suite = '';
beforeAll(async () => {
  peer = await installPeer('mcp-conformance');
  suite = await peerFile('mcp-conformance', '@modelcontextprotocol/conformance/dist/index.js');
}, 600_000);
afterAll(() => removeFolder(results));

/** The state of each check, in the order of the suite. */
const judge = async (scenario: string, version: string, more: NodeJS.ProcessEnv): Promise<string[]> => {
  const folder = join(results, 'PROXY' in more ? 'proxied' : 'direct', version, scenario);
  const args = ['--command', `node ${join(peer, 'client.mjs')}`, '--scenario', scenario];
  const { NODE_COMPILE_CACHE } = process.env;
  const said = await promisify(execFile)(
    process.execPath,
    [suite, 'client', ...args, '--spec-version', version, '--output-dir', folder],
    { env: { HOME, PATH, NODE_COMPILE_CACHE, ...more } },
  ).then(
    () => '',
    // It ends so where a check fails, too.
    ({ stdout }: { stdout: string }) => stdout,
  );
  const [run] = existsSync(folder) ? readdirSync(folder) : [];
  if (run === undefined) expect.fail(said);
  const checks = JSON.parse(readFileSync(join(folder, run, 'checks.json'), 'utf8')) as {
    name: string;
    status: string;
  }[];
  return (
    checks
      // What is only reported depends on how many requests there were.
      .filter(({ name, status }) => status !== 'INFO' && name !== checkOfTime)
      .map(({ name, status }) => `${name}: ${status}`)
      .toSorted()
  );
};
/** It measures milliseconds between two processes, which a busy machine changes. */
const checkOfTime = 'ClientRespectsRetryField';

const scenarios: Record<string, readonly string[]> = {
  '2026-07-28': [
    'http-invalid-tool-headers',
    'tools_call',
    'request-metadata',
    'sep-2322-client-request-state',
    'http-standard-headers',
    'http-custom-headers',
    'json-schema-ref-no-deref',
    'json-schema-2020-12-preservation',
  ],
  '2025-11-25': ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'],
};

describe.each(kinds(Object.entries(scenarios)))('a client of revision %s', (version, names) => {
  it.each(kinds(names))('is judged with the proxy as without it: %s', async (scenario) => {
    const direct = await judge(scenario, version, {});
    expect(direct.length).toBeGreaterThan(0);
    expect(direct.filter((check) => !/: (?:SUCCESS|SKIPPED)$/.test(check))).toEqual([]);
    expect(await judge(scenario, version, { PROXY: JSON.stringify(proxied('--url')) })).toEqual(direct);
  });
});
