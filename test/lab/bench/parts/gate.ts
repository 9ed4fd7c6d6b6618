// (v) The gate against a bare reverse proxy of `node:http` before the same server: requests a
// second, and a large answer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { newWallet } from '../floors/floor.ts';
import { figure, ratioOf, type Result, type Unit } from '../report.ts';
import type { Stage } from '../stage.ts';

const atLeast = 0.7;
const requests = { sockets: 32, each: 150, rounds: 6 };
const large = { mebibytes: 128, rounds: 6 };

export const benchGate = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const folder = stage.folder();
  const behind = await stage.program('floors/gated-server.ts', []);
  const bare = await stage.program('floors/bare-reverse-proxy.ts', [behind]);
  const gate = await openGate(stage, folder, behind);
  const compare = async (
    what: string,
    unit: Unit,
    measure: (origin: string) => Promise<number>,
    pairs: number,
  ) => {
    stage.say(`v: ${pairs * rounds} pairs of ${what}`);
    const [ours, floor]: [number[], number[]] = [[], []];
    for (let pair = -1; pair < pairs * rounds; pair += 1) {
      const [one, other] = [await measure(gate), await measure(bare)];
      // The first pair warms up.
      if (pair >= 0) [ours, floor].forEach((list, at) => list.push(at === 0 ? one : other));
    }
    const [own, least] = [figure(unit, ours), figure(unit, floor)];
    const ratio = ratioOf(own.p50, least.p50);
    const id = `v.${what.replaceAll(/\W+/g, '-')}`;
    const target = `at least ${atLeast} x`;
    return {
      id,
      what: `${what} through the gate`,
      ours: own,
      floor: least,
      ratio,
      target,
      met: ratio >= atLeast,
    };
  };
  return [
    await compare('free requests', 'requests/s', requestsASecond, requests.rounds),
    await compare(`${large.mebibytes} MiB`, 'MB/s', megabytesASecond, large.rounds),
  ];
};

const openGate = async (stage: Stage, folder: string, behind: string): Promise<string> => {
  const file = join(folder, 'gate.yml');
  const routes = ['/small', '/large'].map((path) => `  - { method: GET, path: ${path}, free: true }`);
  const head = [
    'network: mainnet',
    `recipient: ${newWallet().address}`,
    'rpcUrl: http://127.0.0.1:1',
    'listen: 127.0.0.1:0',
  ];
  writeFileSync(file, [...head, `upstream: ${behind}`, 'routes:', ...routes].join('\n'));
  const main = fileURLToPath(new URL('../../../../server/customer/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'gate', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ready = once(createInterface(child.stdout), 'line');
  await stage.keep(Promise.resolve(child), (it) => it.kill('SIGTERM'));
  const [line] = (await ready) as [string];
  return line.split(' ')[0] ?? '';
};

const drained = async (url: string, agent: Agent): Promise<void> => {
  const [answer] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`${url} answers ${answer.statusCode}`);
  answer.resume();
  await once(answer, 'end');
};

const requestsASecond = async (origin: string): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: requests.sockets });
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: requests.sockets }, async () => {
      for (let n = 0; n < requests.each; n += 1) await drained(`${origin}/small`, agent);
    }),
  );
  agent.destroy();
  return (requests.sockets * requests.each) / ((performance.now() - begin) / 1_000);
};

const megabytesASecond = async (origin: string): Promise<number> => {
  const agent = new Agent();
  const begin = performance.now();
  await drained(`${origin}/large?mib=${large.mebibytes}`, agent);
  return (large.mebibytes * 2 ** 20) / 1e6 / ((performance.now() - begin) / 1_000);
};
