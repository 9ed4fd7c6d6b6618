// 300 forbidden places, requested through a door: the code for sellers itself, or the proxy of a host in this process. A
// lying resolver resolves names, and the runtime itself records every attempt to connect.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { createServer as createSocketServer, type AddressInfo, type Socket } from 'node:net';
import { createOutbound } from '../../../../server/x402/outbound.ts';
import { askThrough } from '../../../http/proxy/through.ts';
import { deploy, openTreasury } from '../../../harness/treasury.ts';
import { shuffled } from '../gate.ts';
import type { Dice } from '../../../harness/dice.ts';
import { privateHosts } from '../../../x402/private-hosts.ts';

const addresses = [
  ...privateHosts,
  '10.255.255.255',
  '192.168.255.254',
  '169.254.0.1',
  '100.127.255.254',
  '192.88.99.1',
  '198.19.255.254',
  '239.255.255.250',
  '[::ffff:10.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[2002:a00:1::]',
  '[febf::1]',
  'localhost.',
];

/** The lying resolver's answers: one private address makes the whole answer a trap. */
const answers: readonly string[][] = [
  ['127.0.0.1'],
  ['::1'],
  ['10.1.2.3'],
  ['169.254.169.254'],
  ['192.168.1.1'],
  ['fd00::1'],
  ['fe80::1'],
  ['::ffff:127.0.0.1'],
  ['0.0.0.0'],
  ['100.64.1.1'],
  ['1.1.1.1', '127.0.0.1'],
  ['127.0.0.1', '1.1.1.1'],
  ['2606:4700:4700::1111', '::1'],
  ['1.1.1.1', '10.0.0.1', '8.8.8.8'],
];

export interface SsrfReport {
  asked: number;
  /** Attempts to connect, to any address: all of these places are forbidden. */
  connections: string[];
  /** Places with an answer as if they had been contacted. */
  answered: string[];
  /** The control's own attempts, so that the record is known to work. */
  seenByControl: number;
}

interface Door {
  /** Resolves to the seller's answer; to null when the door refuses. */
  ask(url: string): Promise<{ status: number } | null>;
  /** A port that is its own, or that nobody may ask. */
  port: number;
  /** Further ports that requests to the door itself connect to. */
  ownPorts: readonly number[];
  close(): unknown;
}

/** @param origin the seller that may be asked */
export type OpenDoor = (origin: string) => Promise<Door>;

export const outboundDoor: OpenDoor = async (origin) => {
  const listener = createSocketServer((socket) => socket.destroy());
  listener.listen(0, '::');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const outbound = createOutbound({
    allowOrigins: [origin],
    ownOrigins: () => [`http://127.0.0.1:${port}`],
    withinMs: 2_000,
  });
  return {
    ask: (url) => outbound({ url }).catch(() => null),
    port,
    ownPorts: [],
    close() {
      outbound.close();
      listener.close();
    },
  };
};

/** The refusals of the proxy itself. */
const refusals = new Set(['bad_request', 'not_available', 'not_found', 'forbidden']);

export const proxyDoor: OpenDoor = async (origin) => {
  const treasury = await openTreasury({ args: ['--allow-origin', origin] });
  const agent = await deploy(treasury.client, 'asker');
  const port = Number(new URL(treasury.host.url).port);
  return {
    async ask(url) {
      const answer = await askThrough(treasury.host.url, agent, url).catch(() => null);
      if (answer === null || refusals.has(codeIn(answer.text))) return null;
      return answer;
    },
    port,
    ownPorts: [port],
    close: () => treasury.close(),
  };
};

const codeIn = (text: string): string => {
  try {
    return String((JSON.parse(text) as { code?: unknown } | null)?.code);
  } catch {
    return '';
  }
};

const count = 300;

export const attackDoor = async (dice: Dice, openDoor: OpenDoor): Promise<SsrfReport> => {
  const seller = createServer((request, response) => {
    const to = new URL(request.url ?? '/', 'http://x').searchParams.get('to');
    if (to === null) response.end('ok');
    else response.writeHead(dice.pick([301, 302, 303, 307, 308]), { location: to }).end();
  });
  seller.listen(0, '127.0.0.1');
  await once(seller, 'listening');
  const origin = `http://127.0.0.1:${(seller.address() as AddressInfo).port}`;

  const door = await openDoor(origin);
  const { port } = door;

  const names = new Map<string, string[]>();
  const { lookup } = dns;
  const lying = (
    name: string,
    options: dns.LookupOptions,
    callback: (error: null, found: unknown) => void,
  ) => {
    const found = names.get(name) ?? ['127.0.0.1'];
    const all = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    callback(null, options.all === true ? all : all[0]?.address);
  };
  dns.lookup = lying as unknown as typeof dns.lookup;
  syncBuiltinESMExports();

  const sellerPort = new URL(origin).port;
  const attempts: string[] = [];
  const watch = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (ip: string, to: number) => attempts.push(`${ip}:${to}`));
  };
  subscribe('net.client.socket', watch);
  const isOther = (to: string): boolean => !door.ownPorts.some((own) => to.endsWith(`:${own}`));
  try {
    await door.ask(`${origin}/control`);
    const seenByControl = attempts.filter(isOther).length;
    attempts.length = 0;

    const urls: string[] = [];
    for (const host of addresses)
      for (const where of [
        `https://${host}:${port}/`,
        `https://${host}/latest/meta-data`,
        `http://${host}:${port}/`,
      ])
        urls.push(where);
    for (const [index, found] of answers.entries())
      for (const name of [
        `rebind-${index}.example`,
        `api.rebind-${index}.example.`,
        `x${index}.localtest.me`,
      ]) {
        names.set(name, found);
        urls.push(`https://${name}:${port}/`, `https://${name}/`);
      }
    for (const path of [
      '/',
      '/v1/dashboard',
      '/v1/freeze',
      '/sandbox',
      '/sandbox/../v1/about',
      '/sandbox/%2e%2e/v1/about',
    ])
      urls.push(`http://127.0.0.1:${port}${path}`);
    for (const scheme of ['ftp', 'file', 'gopher', 'data', 'ws', 'wss', 'javascript', 'unix'])
      urls.push(`${scheme}://127.0.0.1:${port}/etc/passwd`);
    for (const url of [
      'https://user@127.0.0.1/',
      `https://x@127.0.0.1:${port}`,
      '',
      '//127.0.0.1',
      'https://',
      `https:\\\\127.0.0.1:${port}`,
    ])
      urls.push(url);
    const redirects = addresses.slice(0, 30).map((host) => `http://${host}:${port}/`);
    const chosen = shuffled(dice, urls).slice(0, count - redirects.length);

    const answered: string[] = [];
    for (const url of chosen) {
      const answer = await door.ask(url);
      if (answer !== null) answered.push(url);
    }
    for (const to of redirects) {
      const answer = await door.ask(`${origin}/?to=${encodeURIComponent(to)}`);
      if (answer !== null && answer.status < 300) answered.push(`redirect to ${to}`);
    }
    return {
      asked: chosen.length + redirects.length,
      connections: attempts.filter((to) => isOther(to) && to !== `127.0.0.1:${sellerPort}`),
      answered,
      seenByControl,
    };
  } finally {
    unsubscribe('net.client.socket', watch);
    dns.lookup = lookup;
    syncBuiltinESMExports();
    await door.close();
    seller.closeAllConnections();
    seller.close();
  }
};
