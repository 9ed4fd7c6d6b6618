// `treasury link --url`: another machine, which knows nothing but the address of the owner's tunnel, gets an agent, and
// its bridge pays.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { useFolders } from '../harness/folders.ts';
import { openTreasury, until, type Treasury } from '../harness/treasury.ts';
import { freePort } from '../harness/programs/free-port.ts';
import { hasTunnel, openTunnel, tunnelName, withTunnel, type Tunnel } from '../harness/programs/tunnel.ts';
import { openBridge } from '../mcp/bridge.ts';
import { letIn, run } from './terminal.ts';
import { programOf } from '../harness/programs/programs.ts';

const newFolder = useFolders();
const program = programOf('server/cli/main.ts');
const preload = new URL('../../build/preload.mjs', import.meta.url).href;
let tunnel: Tunnel;
let treasury: Treasury;
/** The other machine's own folder. */
const home = newFolder();
const agentFile = join(home, '.config', 'agent-treasury', 'agent.json');
const written = () => JSON.parse(readFileSync(agentFile, 'utf8'));

/** The environment of a program on the other machine. */
const there = (more: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  ...tunnel.env,
  ...more,
});
/** Runs the command on the other machine. */
const command = async (args: readonly string[], env = there()) => {
  const child = spawn(process.execPath, ['--import', preload, program, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code: Number(code), stdout, stderr };
};
/** The same without a process of its own: it finds what that one would, and trusts the tunnel's authority if it is told to. */
const typed = async (args: readonly string[], { authority = '', env = {} } = {}) => {
  const before = tls.getCACertificates('default');
  if (authority !== '') tls.setDefaultCACertificates([...before, authority]);
  try {
    return await run(args, { home, env: there(env) });
  } finally {
    tls.setDefaultCACertificates(before);
  }
};
/** What the doctor of the treasury's own machine says of the tunnel. */
const doctorOf = async (one: Treasury, { authority }: Tunnel) => {
  await letIn(one);
  const { json } = await typed(['doctor', '--data', one.dataDir, '--json'], { authority });
  return json.checks.find(({ name }: { name: string }) => name === 'Tunnel');
};
const link = async (agentId: string, url = tunnel.url) => {
  const ending = command(['link', '--url', url, '--no-browser', '--yes']);
  const asked = await until('the request', async () => {
    const { links } = (await treasury.client.get('/v1/link-sessions')).body;
    return links.length > 0 && links[0];
  });
  await treasury.client.post(`/v1/link-sessions/${asked.linkId}/grant`, { agentId });
  return { ...(await ending), asked };
};

describe.skipIf(!hasTunnel)(withTunnel('a machine that knows the public address alone'), () => {
  beforeAll(async () => {
    tunnel = await openTunnel(await freePort());
    treasury = await openTreasury({ args: ['--public-url', tunnel.url] });
    await tunnel.forwardTo(Number(new URL(treasury.host.url).port));
    await treasury.client.post('/v1/sandbox/faucet', { amount: '20' });
  });
  afterAll(async () => {
    await treasury.close();
    await tunnel.close();
  });

  it('is linked, and its file names the treasury', async () => {
    const ended = await link('laptop');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain(`${tunnel.url}/link`);
    expect(ended.stdout).toContain(ended.asked.code);
    expect(written()).toMatchObject({
      agentId: 'laptop',
      treasury: { url: tunnel.url, owner: treasury.host.owner },
    });
  });

  it('pays through its bridge, and asks the treasury for its balance', async () => {
    await treasury.client.post('/v1/agents/laptop/allocate', { amount: '5' });
    const bridge = await openBridge(there());
    const paid = await bridge.call('pay', { service: 'sandbox-weather', amount: '0.25' });
    expect(paid.content).toMatchObject({ status: 'confirmed', amount: '0.25' });
    const balance = await bridge.call('check_balance', {});
    expect(balance.content).toMatchObject({ balance: '4.75', treasuryAddress: treasury.host.owner });
    await bridge.close();
  });

  it('has the entry of an MCP host written, without a key in it', async () => {
    const ended = await command(['mcp', 'install', 'claude-code', '--yes']);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const file = readFileSync(join(home, '.claude.json'), 'utf8');
    const [entry] = Object.values(JSON.parse(file).mcpServers) as {
      command: string;
      args: string[];
    }[];
    expect(file).not.toContain('atk_');
    // As an MCP host starts it, from a folder of its own.
    const { command: words = '', args = [] } = entry ?? {};
    const bridge = await openBridge(there(), 'modern', { command: words, args });
    expect((await bridge.call('check_balance', {})).content).toMatchObject({ agentId: 'laptop' });
    await bridge.close();
    const again = await command(['mcp', 'install', 'claude-code', '--yes']);
    expect(again.stdout).toContain('already');
  });

  it('says what is wrong with a certificate that it does not trust', async () => {
    const ended = await typed(['fetch', 'https://example.com/']);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toMatch(/The certificate of https:\/\/treasury\.test:\d+ is not trusted here/);
    const linking = await typed(['link', '--url', tunnel.url, '--yes']);
    expect(linking.stderr).toContain('is not trusted here');
  });

  it('says what is wrong, and sends no key, when the tunnel leads nowhere', async () => {
    await tunnel.forwardTo(await freePort());
    const ended = await typed(['fetch', 'https://example.com/'], tunnel);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain(`${tunnel.url} answered 502, and the treasury did not`);
    await tunnel.forwardTo(Number(new URL(treasury.host.url).port));
  });

  it('refuses to speak where certificates are not checked', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const ended = await typed(['fetch', 'https://example.com/']);
    vi.unstubAllEnvs();
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain('NODE_TLS_REJECT_UNAUTHORIZED: is 0');
  });

  it.each([
    'http://treasury.test',
    'https://treasury.test/path',
    'https://a:b@treasury.test',
    'treasury.test',
  ])('refuses %s as an address', async (url) => {
    const ended = await typed(['link', '--url', url, '--yes']);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain('--url: must be');
  });

  it('sends no key through a tunnel that replaces the Host header', async () => {
    const { port } = new URL(treasury.host.url);
    const rewriting = await openTunnel(Number(port), { directives: [`header_up Host 127.0.0.1:${port}`] });
    const env = { TREASURY_URL: rewriting.url, TREASURY_OWNER: treasury.host.owner };
    const ended = await typed(['fetch', 'https://example.com/'], { authority: rewriting.authority, env });
    await rewriting.close();
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain('a tunnel that passes the Host header on');
  });

  it('is told by the doctor whether the tunnel leads here', async () => {
    const doctor = () => doctorOf(treasury, tunnel);
    const { port } = new URL(treasury.host.url);
    expect(await doctor()).toEqual({ name: 'Tunnel', state: 'ok', found: `${tunnel.url} leads here` });
    await tunnel.forwardTo(Number(port), [`header_up Host 127.0.0.1:${port}`]);
    expect(await doctor()).toMatchObject({
      state: 'failed',
      next: expect.stringContaining('a tunnel that passes the Host header on'),
    });
    await tunnel.forwardTo(Number(port));
  });

  it('is told by the doctor of a tunnel that leads to the local door', async () => {
    const here = await openTreasury();
    const { port } = new URL(here.host.url);
    const silent = ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'Via'];
    const open = await openTunnel(Number(port), {
      names: [tunnelName, ''],
      directives: silent.map((name) => `header_up -${name}`),
    });
    expect((await here.client.post('/v1/public-address', { url: open.url })).body).toMatchObject({
      url: open.url,
    });
    expect(await doctorOf(here, open)).toEqual({
      name: 'Tunnel',
      state: 'failed',
      found: `${open.url} does not work as it should`,
      next: expect.stringContaining('lets other machines in as if they were this one'),
    });
    // As one does that names its target to it, which is how nginx is set up unless told otherwise.
    await open.forwardTo(Number(port), [
      ...silent.map((name) => `header_up -${name}`),
      `header_up Host 127.0.0.1:${port}`,
    ]);
    expect(await doctorOf(here, open)).toMatchObject({
      next: expect.stringContaining('lets other machines in as if they were this one'),
    });
    // The treasury tells it apart by its headers.
    await open.forwardTo(Number(port), []);
    expect(await doctorOf(here, open)).toMatchObject({ state: 'ok' });
    await open.close();
    await here.close();
  });

  it('finds the treasury without the tunnel where both run on one machine', async () => {
    await tunnel.forwardTo(await freePort());
    const bridge = await openBridge(there({ TREASURY_DATA: treasury.dataDir }));
    expect((await bridge.call('check_balance', {})).content).toMatchObject({ agentId: 'laptop' });
    await bridge.close();
    await tunnel.forwardTo(Number(new URL(treasury.host.url).port));
  });
});
