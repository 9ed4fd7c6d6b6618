// (k) The dashboard over a slow network, such as a tunnel to a machine far away: 60 kB a second and 300 ms for each
// request. The floor is the same page on this machine's own network.
import { ensureBuilt, rendererFolder } from '../../../../build/build.ts';
import { live } from '../../../harness/life.ts';
import { instantly, openTreasury } from '../../../harness/treasury.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import type { Stage } from '../stage.ts';
import { visitMany, type Visit } from './visits.ts';

const usualVisits = 3;
const frameMs = 1_500;
const overviewMs = 8_000;

interface Measured {
  ours: readonly Visit[];
  floor: readonly Visit[];
}

const result = (name: keyof Visit, what: string, { ours, floor }: Measured, mostMs: number): Result => {
  const here = figure(
    'ms',
    ours.map((one) => one[name]),
  );
  const there = figure(
    'ms',
    floor.map((one) => one[name]),
  );
  return {
    id: `k.${name}`,
    what,
    ours: here,
    floor: there,
    ratio: ratioOf(here.p50, there.p50),
    target: `at most ${mostMs} ms`,
    met: here.p50 <= mostMs,
  };
};

export const benchSlowNetwork = async (stage: Stage, rounds: number): Promise<Result[]> => {
  await ensureBuilt('dashboard');
  const treasury = await stage.keep(
    openTreasury({ args: instantly, dashboard: rendererFolder }),
    ({ close }) => close(),
  );
  await live(treasury);
  const url = () => treasury.host.newLoginUrl() ?? '';
  stage.say(`k: ${usualVisits * rounds} visits at 60 kB/s and 300 ms, and as many without`);
  const ours = await visitMany(url, true, usualVisits * rounds);
  const floor = await visitMany(url, false, usualVisits * rounds);
  const measured = { ours, floor };
  return [
    result('frame', 'dashboard, first visit at 60 kB/s and 300 ms: its frame', measured, frameMs),
    result('overview', 'the same: the overview in full', measured, overviewMs),
  ];
};
