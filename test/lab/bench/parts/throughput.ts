// (d) Payments per second of several agents at once, each paying sequentially, compared with as many bare senders.
import { createFloor } from '../floors/floor.ts';
import type { Work } from '../measure.ts';
import { barePay } from './pay.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import { fundedTreasury, pay, type Stage } from '../stage.ts';

const crowds = [1, 16, 64];
const gateAt = 16;
const atLeast = 0.45;
const blocks = 4;
const blockMs = 1_500;

export const benchThroughput = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const most = Math.max(...crowds);
  const { rpcUrl } = await stage.sandbox();
  stage.say(`d: opening ${most} agents and ${most} bare senders`);
  const { agents } = await fundedTreasury(stage, rpcUrl, most);
  const floor = await stage.keep(createFloor(rpcUrl), (it) => it.close());
  const bare: Work[] = [];
  while (bare.length < most) bare.push(barePay(await floor.sender()));
  const ours = agents.map(pay);

  await perSecond(ours);
  await perSecond(bare);
  const results: Result[] = [];
  for (const crowd of crowds) {
    stage.say(`d: ${crowd} at once, ${blocks * rounds} blocks of ${blockMs} ms each`);
    results.push(await benchCrowd(crowd, ours.slice(0, crowd), bare.slice(0, crowd), blocks * rounds));
  }
  return results;
};

const benchCrowd = async (crowd: number, ours: Work[], bare: Work[], count: number): Promise<Result> => {
  const rates = { ours: [] as number[], floor: [] as number[] };
  for (let block = 0; block < count; block += 1) {
    const order = block % 2 === 0 ? (['ours', 'floor'] as const) : (['floor', 'ours'] as const);
    for (const which of order) rates[which].push(await perSecond(which === 'ours' ? ours : bare));
  }
  const [paid, floored] = [figure('payments/s', rates.ours), figure('payments/s', rates.floor)];
  const ratio = ratioOf(paid.p50, floored.p50);
  return {
    id: `d.${crowd}`,
    what: `${crowd} ${crowd === 1 ? 'agent' : 'agents'} paying`,
    ours: paid,
    floor: floored,
    ratio,
    target: crowd === gateAt ? `at least ${atLeast} x the floor` : '',
    met: crowd === gateAt ? ratio >= atLeast : null,
  };
};

/** Runs until the last payment that was begun in time has ended, so that no block leaves work to the next. */
const perSecond = async (crowd: readonly Work[]): Promise<number> => {
  const begin = performance.now();
  let done = 0;
  const one = async (work: Work): Promise<void> => {
    while (performance.now() - begin < blockMs) {
      await work();
      done += 1;
    }
  };
  await Promise.all(crowd.map(one));
  return (done * 1_000) / (performance.now() - begin);
};
