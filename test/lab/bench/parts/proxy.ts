// (p) The reverse proxy that pays, against a bare reverse proxy of `node:http` before the same seller: from the seller's
// first byte to the client's, for what is free and for what is paid, and the throughput of a large answer.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { rpcCall, type TestAgent } from '../../../harness/treasury.ts';
import { newWallet } from '../floors/floor.ts';
import { timed } from '../measure.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import { fundedAgents, type Stage } from '../stage.ts';

const firstBytes = { warmUp: 50, pairs: 500, p95AtMostMs: 5 };
const large = { mebibytes: 128, pairs: 6, atLeast: 0.7 };

interface Candidates {
  ours(path: string): Promise<IncomingMessage>;
  bare(path: string): Promise<IncomingMessage>;
}

export const benchProxy = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const candidates = await bothProxies(stage);
  const results: Result[] = [];
  for (const [what, path] of [
    ['a free answer', '/first'],
    ['a paid answer', '/paid/first'],
  ] as const) {
    stage.say(`p: ${firstBytes.warmUp} pairs of ${path} to warm up, then ${firstBytes.pairs * rounds}`);
    await latencies(candidates, path, firstBytes.warmUp);
    const { ours, floor } = await latencies(candidates, path, firstBytes.pairs * rounds);
    const [proxied, bare] = [figure('ms', ours), figure('ms', floor)];
    results.push({
      id: `p.first-byte${path === '/first' ? '' : '-paid'}`,
      what: `the seller’s first byte to the client’s, ${what}`,
      ours: proxied,
      floor: bare,
      ratio: ratioOf(proxied.p50, bare.p50),
      target: `p95 at most ${firstBytes.p95AtMostMs} ms`,
      met: proxied.p95 <= firstBytes.p95AtMostMs,
    });
  }
  for (const [what, path] of [
    ['free', '/bytes'],
    ['paid', '/paid/bytes'],
  ] as const)
    results.push(await throughput(stage, candidates, [what, `${path}?mib=${large.mebibytes}`], rounds));
  return results;
};

const throughput = async (
  stage: Stage,
  { ours, bare }: Candidates,
  [what, path]: readonly [what: string, path: string],
  rounds: number,
): Promise<Result> => {
  stage.say(`p: ${large.pairs * rounds} pairs of ${large.mebibytes} MiB, ${what}`);
  const speed = async (open: Candidates['ours'], from: string): Promise<number> => {
    const answer = await open(from);
    const ms = await timed(() => drained(answer));
    return (large.mebibytes * 2 ** 20) / 1e6 / (ms / 1_000);
  };
  const speeds = { ours: [] as number[], floor: [] as number[] };
  for (let pair = 0; pair < large.pairs * rounds; pair += 1) {
    speeds.ours.push(await speed(ours, path));
    speeds.floor.push(await speed(bare, path.replace('/paid', '')));
  }
  const [proxied, floor] = [figure('MB/s', speeds.ours), figure('MB/s', speeds.floor)];
  const ratio = ratioOf(proxied.p50, floor.p50);
  return {
    id: `p.throughput-${what}`,
    what: `${large.mebibytes} MiB through the proxy, ${what}`,
    ours: proxied,
    floor,
    ratio,
    target: `at least ${large.atLeast} x`,
    met: ratio >= large.atLeast,
  };
};

/** Milliseconds from the first byte's departure at the seller to its arrival here. */
const latencies = async ({ ours, bare }: Candidates, path: string, pairs: number) => {
  const times = { ours: [] as number[], floor: [] as number[] };
  for (let pair = 0; pair < pairs; pair += 1) {
    times.ours.push(await firstByte(await ours(path)));
    times.floor.push(await firstByte(await bare(path.replace('/paid', ''))));
  }
  return times;
};

const firstByte = async (answer: IncomingMessage): Promise<number> => {
  const [chunk] = (await once(answer, 'data')) as [Buffer];
  const now = process.hrtime.bigint();
  answer.resume();
  return Number(now - BigInt(chunk.toString('latin1').trim())) / 1e6;
};

const drained = async (answer: IncomingMessage): Promise<void> => {
  answer.resume();
  await once(answer, 'end');
};

const bothProxies = async (stage: Stage): Promise<Candidates> => {
  const { rpcUrl } = await stage.sandbox();
  const recipient = newWallet().address;
  await rpcCall(rpcUrl, 'sandbox_fundUsdc', [recipient, '0']);
  const seller = await stage.program('parts/streaming-seller.ts', [rpcUrl, recipient, stage.folder()]);
  const bare = await stage.program('floors/bare-reverse-proxy.ts', [seller]);
  const treasury = await stage.treasury(stage.folder(), ['--rpc', rpcUrl, '--allow-origin', seller]);
  const [agent] = await fundedAgents(treasury, 1);
  if (agent === undefined) throw new Error('no agent was deployed');
  return {
    ours: (path) => opened(throughUs(treasury.ready.url, agent, seller + path), headersOf(agent)),
    bare: (path) => opened(bare + path, {}),
  };
};

const throughUs = (host: string, { agentId }: TestAgent, url: string): string =>
  `${host}/v1/agents/${agentId}/proxy/${url.replace('://', '/')}`;

/** Each request is a purchase of its own. */
const headersOf = ({ key }: TestAgent) => ({ 'x-treasury-key': key, 'idempotency-key': randomUUID() });

const opened = async (url: string, headers: Record<string, string>): Promise<IncomingMessage> => {
  const [answer] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
  if (answer.statusCode === 200) return answer;
  const text = Buffer.concat(await answer.toArray()).toString('utf8');
  throw new Error(`${new URL(url).pathname} was answered ${answer.statusCode}: ${text}`);
};
