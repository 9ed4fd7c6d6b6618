// (l) The overview of a treasury that is lived in, on this machine. The floor is the same page of as many agents that
// have never paid.
import { ensureBuilt, rendererFolder } from '../../../../build/build.ts';
import { openTreasury } from '../../../harness/treasury.ts';
import { buildStores } from '../../size/build-store.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import type { Stage } from '../stage.ts';
import { visitMany } from './visits.ts';

const size = { agents: 100, payments: 10_000 };
const usualVisits = 20;
const mostMs = 700;

export const benchOverview = async (stage: Stage, rounds: number): Promise<Result[]> => {
  await ensureBuilt('dashboard');
  const { large, empty } = await buildStores(stage.folder(), size, (text) => stage.say(`l: ${text}`));
  const overviews = async (dataDir: string): Promise<number[]> => {
    const treasury = await openTreasury({ dataDir, dashboard: rendererFolder });
    const visits = await visitMany(() => treasury.host.newLoginUrl() ?? '', false, usualVisits * rounds);
    await treasury.close();
    return visits.map(({ overview }) => overview);
  };
  stage.say(`l: ${usualVisits * rounds} first visits of each`);
  const [ours, floor] = [figure('ms', await overviews(large)), figure('ms', await overviews(empty))];
  return [
    {
      id: 'l',
      what: `dashboard, first visit on this machine, ${size.agents} agents, ${size.payments} payments: the overview in full`,
      ours,
      floor,
      ratio: ratioOf(ours.p50, floor.p50),
      target: `p95 at most ${mostMs} ms`,
      met: ours.p95 <= mostMs,
    },
  ];
};
