// (a) One `POST /pay` against the floor.
import { randomUUID } from 'node:crypto';
import { createFloor, type Sender } from '../floors/floor.ts';
import { inPairs } from '../measure.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import { fundedTreasury, pay, type Stage } from '../stage.ts';

interface Setting {
  confirmMs: number;
  warmUp: number;
  pairs: number;
  atMost: number;
}

const settings: readonly Setting[] = [
  { confirmMs: 0, warmUp: 300, pairs: 500, atMost: 1.6 },
  { confirmMs: 400, warmUp: 3, pairs: 40, atMost: 1.05 },
];

export const benchPay = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const results: Result[] = [];
  for (const setting of settings) results.push(await benchAt(stage, rounds, setting));
  return results;
};

const benchAt = async (stage: Stage, rounds: number, setting: Setting): Promise<Result> => {
  const { confirmMs, warmUp, pairs, atMost } = setting;
  const clock = ['--confirm-ms', String(confirmMs), '--finalize-ms', String(confirmMs)];
  const { rpcUrl } = await stage.sandbox(clock);
  const { agents } = await fundedTreasury(stage, rpcUrl);
  const floor = await stage.keep(createFloor(rpcUrl), (it) => it.close());
  const [agent] = agents;
  if (agent === undefined) throw new Error('no agent was deployed');
  const ours = pay(agent);
  const bare = barePay(await floor.sender());
  stage.say(`a: confirm-ms ${confirmMs}, ${warmUp} pairs to warm up, then ${pairs * rounds}`);
  await inPairs(warmUp, ours, bare);
  const times = await inPairs(pairs * rounds, ours, bare);
  await stage.end();
  const [paid, floored] = [figure('ms', times.ours), figure('ms', times.floor)];
  const ratio = ratioOf(paid.p50, floored.p50);
  return {
    id: `a.confirm-${confirmMs}`,
    what: `POST /pay, confirm-ms ${confirmMs}`,
    ours: paid,
    floor: floored,
    ratio,
    target: `p50 at most ${atMost} x the floor`,
    met: ratio <= atMost,
  };
};

/** The memo has the length of the treasury's: the same bytes are sent. */
export const barePay = (sender: Sender) => () => sender.pay(`at:${randomUUID().slice(0, 28)}`);
