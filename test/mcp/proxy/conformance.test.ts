// The conformance suite of MCP judges its official client, with the proxy before the suite's servers and without. The
// scenarios of `auth/` are left out: the proxy does not sign in.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '../../harness/kinds.ts';
import { installPeer, peerFile } from '../../harness/peers.ts';
import { removeFolder, temporaryFolder } from '../../harness/treasury.ts';
import { proxied } from './wire.ts';

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
  const { HOME, PATH, NODE_COMPILE_CACHE } = process.env;
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
