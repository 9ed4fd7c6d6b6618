// (i) A paid fetch of the official x402 v2 seller: through our treasury, and by the official client. (j) The same item
// sold behind our paywall and bought through our treasury, compared with that official stack.
// Interleaved, on one chain. The official client measures itself in its own process; ours is measured by the agent, so
// that the hop to the treasury counts.
import { randomUUID } from 'node:crypto';
import { startPeer, type Peer } from '../../../harness/programs/peers.ts';
import type { TestAgent } from '../../../harness/treasury.ts';
import { median } from '../measure.ts';
import { startReceiptSeller } from './paid-sellers.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import { fundedAgents, type Stage } from '../stage.ts';

interface Setting {
  confirmMs: number;
  warmUp: number;
  pairs: number;
  /** Null for a figure without a target. */
  atMost: number | null;
}
interface Part {
  id: string;
  what: string;
  settings: readonly Setting[];
  /** The URL that our treasury buys. */
  sold: 'official' | 'ours';
}

const settled = { warmUp: 150, pairs: 200 };
const confirming = { warmUp: 3, pairs: 20 };

const viaTreasury: Part = {
  id: 'i',
  what: 'paid fetch of the official seller',
  sold: 'official',
  settings: [
    { confirmMs: 0, ...settled, atMost: 1 },
    { confirmMs: 400, ...confirming, atMost: null },
  ],
};
const receipts: Part = {
  id: 'j',
  what: 'our receipts against the official stack',
  sold: 'ours',
  settings: [
    { confirmMs: 0, ...settled, atMost: 0.5 },
    { confirmMs: 400, ...confirming, atMost: 0.8 },
  ],
};
/** The number of rounds of `pairs`, each with a ratio of its own. */
const roundsOfPairs = 3;

const benchPart =
  (part: Part) =>
  async (stage: Stage, rounds: number): Promise<Result[]> => {
    const results: Result[] = [];
    for (const setting of part.settings) results.push(await benchAt(stage, rounds, part, setting));
    return results;
  };

export const benchFetch = benchPart(viaTreasury);
export const benchReceipts = benchPart(receipts);

/** Milliseconds of one purchase. */
type Purchase = () => Promise<number>;

const benchAt = async (stage: Stage, rounds: number, part: Part, setting: Setting): Promise<Result> => {
  const { id, what, sold } = part;
  const { confirmMs, warmUp, pairs, atMost } = setting;
  const clock = ['--confirm-ms', String(confirmMs), '--finalize-ms', String(confirmMs)];
  const { rpcUrl } = await stage.sandbox(clock);
  const official = await officialStack(stage, rpcUrl);
  const place = sold === 'official' ? official.url : await startReceiptSeller(stage, rpcUrl);
  const treasury = await stage.treasury(stage.folder(), ['--rpc', rpcUrl, '--allow-origin', place]);
  const [agent] = await fundedAgents(treasury, 1);
  if (agent === undefined) throw new Error('no agent was deployed');
  const ours = bought(agent, `${place}/weather?city=Lisbon`);
  const theirs = official.buy;
  stage.say(
    `${id}: confirm-ms ${confirmMs}, ${warmUp} pairs to warm up, then ${roundsOfPairs} x ${pairs * rounds}`,
  );
  await interleaved(warmUp, ours, theirs);
  const all = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 1; round <= roundsOfPairs; round += 1) {
    const times = await interleaved(pairs * rounds, ours, theirs);
    const [own, other] = [median(times.ours), median(times.theirs)];
    stage.say(
      `${id}: round ${round}: ${own.toFixed(2)} ms, official ${other.toFixed(2)} ms, ratio ${ratioOf(own, other)}`,
    );
    all.ours.push(...times.ours);
    all.theirs.push(...times.theirs);
  }
  await stage.end();
  const [paid, floor] = [figure('ms', all.ours), figure('ms', all.theirs)];
  const ratio = ratioOf(paid.p50, floor.p50);
  return {
    id: `${id}.confirm-${confirmMs}`,
    what: `${what}, confirm-ms ${confirmMs}`,
    ours: paid,
    floor,
    ratio,
    target: atMost === null ? 'no target' : `p50 at most ${atMost} x @x402/fetch`,
    met: atMost === null ? null : ratio <= atMost,
  };
};

const interleaved = async (
  pairs: number,
  ours: Purchase,
  theirs: Purchase,
): Promise<{ ours: number[]; theirs: number[] }> => {
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let pair = 0; pair < pairs; pair += 1) {
    const order = pair % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const);
    for (const which of order) times[which].push(await (which === 'ours' ? ours : theirs)());
  }
  return times;
};

const bought = (agent: TestAgent, url: string): Purchase => {
  const path = `/v1/agents/${agent.agentId}/fetch`;
  return async () => {
    const begin = performance.now();
    const { status, body, text } = await agent.client.post(path, { url }, { key: randomUUID() });
    const ms = performance.now() - begin;
    if (status !== 200 || body['status'] !== 200 || body['payment'] === null)
      throw new Error(`a paid fetch was answered ${status}: ${text}`);
    return ms;
  };
};

/** The official packages' facilitator, seller and client, a process each. */
const officialStack = async (stage: Stage, rpcUrl: string): Promise<{ url: string; buy: Purchase }> => {
  const start = (program: string, settings: object): Promise<Peer> =>
    stage.keep(startPeer('x402-v2', program, { rpcUrl, ...settings }), (peer) => peer.end());
  const facilitator = await start('facilitator', {});
  const seller = await start('seller', { facilitatorUrl: facilitator.says['url'] });
  const client = await start('client', { units: '1000000000' });
  const url = String(seller.says['url']);
  return {
    url,
    async buy() {
      const { status, body, settlement, ms } = await client.ask<{
        status: number;
        body: string;
        settlement: { success: boolean } | null;
        ms: number;
      }>(`${url}/weather?city=Lisbon`);
      if (status !== 200 || settlement?.success !== true)
        throw new Error(`the official client was answered ${status}: ${body}`);
      return ms;
    },
  };
};
