// The owner's tunnel: a real Caddy with a certificate of an authority of its own, before a port of this machine. It speaks
// HTTP/1.1 and HTTP/2. Its names are resolved by named-host/, here and in child processes.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { missingTools } from '../../../build/setup.ts';
import { freePort } from './free-port.ts';
import './named-host/named-host.mjs';
import { removeFolder, temporaryFolder, until } from '../treasury.ts';

export const hasTunnel = missingTools('caddy').length === 0;
/** The title, with the reason where this machine has no tunnel for tests. */
export const withTunnel = (title: string): string =>
  hasTunnel ? title : `${title} (skipped, missing: caddy)`;

/** Resolved to this machine. */
export const tunnelName = 'treasury.test';

export interface Tunnel {
  /** As `https://treasury.test:PORT`. */
  url: string;
  /** Of its authority, as PEM. */
  authority: string;
  /** For requests of this process. */
  agent: Agent;
  /** With which a child process finds the name and trusts the authority. */
  env: Record<string, string> & { NODE_EXTRA_CA_CERTS: string; PYTHONPATH: string };
  /** Forwards to this port from now on, and answers 502 while nothing listens there. */
  forwardTo(port: number, directives?: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

interface TunnelOptions {
  /** Caddy's directives inside of `reverse_proxy`, such as `header_up Host 127.0.0.1:4402`. */
  directives?: readonly string[];
  names?: readonly string[];
}

/** @param port of this machine, to which it forwards */
export const openTunnel = async (
  port: number,
  { directives = [], names = [tunnelName] }: TunnelOptions = {},
): Promise<Tunnel> => {
  const folder = temporaryFolder();
  const [own, admin] = [await freePort(), await freePort()];
  const file = join(folder, 'Caddyfile');
  const configure = (target: number, more = directives): void => {
    const sites = names.map((name) => `${name}:${own}`).join(', ');
    writeFileSync(
      file,
      [
        `{\n  admin 127.0.0.1:${admin}\n  auto_https disable_redirects\n  skip_install_trust\n  storage file_system ${folder}\n}`,
        `${sites} {\n  bind 127.0.0.1\n  tls internal\n  reverse_proxy 127.0.0.1:${target} {`,
        ...more.map((line) => `    ${line}`),
        '    flush_interval -1\n  }\n}\n',
      ].join('\n'),
    );
  };
  configure(port);
  const words = ['run', '--config', file, '--adapter', 'caddyfile'];
  const caddy = spawn('caddy', words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder },
  });
  const ended = new Promise<void>((resolve) => caddy.once('exit', () => resolve()));
  const said: string[] = [];
  createInterface(caddy.stderr).on('line', (line) => said.push(line));
  const root = join(folder, 'pki', 'authorities', 'local', 'root.crt');
  await until('the tunnel to start', () => {
    if (caddy.exitCode !== null) throw new Error(`caddy ended:\n${said.join('\n')}`);
    return existsSync(root) && said.some((line) => line.includes('certificate obtained successfully'));
  });
  const authority = readFileSync(root, 'utf8');
  const agent = new Agent({ keepAlive: true, ca: authority });
  const hook = new URL('named-host/named-host.mjs', import.meta.url).href;
  return {
    url: `https://${names[0]}:${own}`,
    authority,
    agent,
    env: {
      NODE_EXTRA_CA_CERTS: root,
      NODE_OPTIONS: `--import ${hook}`,
      SSL_CERT_FILE: root,
      PYTHONPATH: fileURLToPath(new URL('named-host', import.meta.url)),
      PYTHONDONTWRITEBYTECODE: '1',
    },
    async forwardTo(target, more) {
      configure(target, more);
      const response = await fetch(`http://127.0.0.1:${admin}/load`, {
        method: 'POST',
        headers: { 'Content-Type': 'text/caddyfile' },
        body: readFileSync(file),
      });
      if (!response.ok) throw new Error(await response.text());
    },
    async close() {
      agent.destroy();
      caddy.kill('SIGTERM');
      await ended;
      removeFolder(folder);
    },
  };
};

export interface SentThrough {
  method?: string;
  path: string;
  token?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
}

export const askThrough = async (
  { url, agent }: Pick<Tunnel, 'url' | 'agent'>,
  { method = 'GET', path, token, headers = {}, body }: SentThrough,
) => {
  const sent = request(new URL(path, url), {
    method,
    agent,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const text = Buffer.concat((await response.toArray()) as Buffer[]).toString();
  return { status: response.statusCode, text };
};
