// (q) The paywall beside the official middleware, in each protocol: its 402, and a purchase by the official client, which
// measures itself. Both sellers use one facilitator and one chain. Our 402 offers every protocol, an official one its own.
import { startPeer, type Peer, type PeerName } from '../../../harness/programs/peers.ts';
import { inPairs, median } from '../measure.ts';
import { startReceiptSeller } from './paid-sellers.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import type { Stage } from '../stage.ts';

interface Protocol {
  peer: PeerName;
  /** The official seller's path for 0.01 USDC. */
  path: string;
  /** Whether equal payments need a blockhash of their own. */
  isSame: boolean;
  /** The server of the official seller, and of ours. */
  kind: 'express' | 'plain';
}

const protocols: Readonly<Record<string, Protocol>> = {
  'x402-v2': { peer: 'x402-v2', path: '/weather?city=Lisbon', isSame: false, kind: 'express' },
  'x402-v1': { peer: 'x402-v1', path: '/weather?city=Lisbon', isSame: true, kind: 'express' },
  mpp: { peer: 'mpp', path: '/push?city=Lisbon', isSame: true, kind: 'plain' },
};
const counts = { warmUp: 100, asked: 500, bought: 150 };
const slotMs = 20;

export const benchPaywall = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const results: Result[] = [];
  for (const [name, protocol] of Object.entries(protocols)) {
    results.push(...(await benchProtocol(stage, rounds, name, protocol)));
    await stage.end();
  }
  return results;
};

const benchProtocol = async (
  stage: Stage,
  rounds: number,
  name: string,
  { peer, path, isSame, kind }: Protocol,
): Promise<Result[]> => {
  const clock = ['--confirm-ms', '0', '--finalize-ms', '0', '--slot-ms', String(slotMs)];
  const { rpcUrl } = await stage.sandbox(clock);
  const start = (from: PeerName, program: string, settings: object = {}): Promise<Peer> =>
    stage.keep(startPeer(from, program, { rpcUrl, ...settings }), (it) => it.end());
  const { says } = await start('x402-v2', 'facilitator');
  const facilitatorUrl = String(says['url']);
  const official = await start(peer, 'seller', { facilitatorUrl });
  const client = await start(peer, 'client', { units: '1000000000' });
  const theirs = `${String(official.says['url'])}${path}`;
  const ours = `${await startReceiptSeller(stage, rpcUrl, { facilitatorUrl, kind })}/weather?city=Lisbon`;

  stage.say(
    `q: ${name}: ${counts.warmUp} pairs to warm up, then ${counts.asked * rounds} requests without a payment`,
  );
  await inPairs(
    counts.warmUp,
    () => ask(ours),
    () => ask(theirs),
  );
  const asked = await inPairs(
    counts.asked * rounds,
    () => ask(ours),
    () => ask(theirs),
  );
  const times = { ours: [] as number[], floor: [] as number[] };
  const buying = (url: string, kept: number[] | null) => async () => {
    if (isSame) await new Promise((resolve) => setTimeout(resolve, 2 * slotMs));
    const ms = await buy(client, url);
    kept?.push(ms);
  };
  stage.say(`q: ${name}: ${counts.warmUp} pairs of purchases to warm up, then ${counts.bought * rounds}`);
  await inPairs(counts.warmUp, buying(ours, null), buying(theirs, null));
  await inPairs(counts.bought * rounds, buying(ours, times.ours), buying(theirs, times.floor));
  stage.say(
    `q: ${name}: bought for ${median(times.ours).toFixed(2)} ms, officially ${median(times.floor).toFixed(2)} ms`,
  );
  return [
    resultOf(`q.${name}.402`, `our 402 against the official one of ${name}`, asked),
    resultOf(`q.${name}.paid`, `a purchase from us by the official client of ${name}`, times),
  ];
};

const resultOf = (id: string, what: string, times: { ours: number[]; floor: number[] }): Result => {
  const [ours, floor] = [figure('ms', times.ours), figure('ms', times.floor)];
  const ratio = ratioOf(ours.p50, floor.p50);
  return { id, what, ours, floor, ratio, target: 'p50 at most 1 x the official', met: ratio <= 1 };
};

const ask = async (url: string): Promise<void> => {
  const response = await fetch(url);
  await response.arrayBuffer();
  if (response.status !== 402) throw new Error(`a request without a payment was answered ${response.status}`);
};

/** The milliseconds of one purchase, by the client's own clock. */
const buy = async (client: Peer, url: string): Promise<number> => {
  const { status, body, ms } = await client.ask<{ status: number; body: string; ms: number }>(url);
  if (status !== 200) throw new Error(`the official client was answered ${status}: ${body}`);
  return ms;
};
