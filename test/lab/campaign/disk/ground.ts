// The surroundings in which gates 3 and 5 try their points: two scenes side by side, each with one treasury after the
// other.
import { join } from 'node:path';
import type { Sheet } from '../gate.ts';
import type { Look, Victim } from './host-process.ts';
import type { Tally } from './recovery.ts';
import { openEstate, openScene, type Estate, type Scene } from './scene.ts';

export const workers = 2;

export interface Ground {
  scene: Scene;
  /** The file that strace writes. */
  log: string;
  estate: Estate;
  victim: Victim;
  used: number;
  /** Its store after the last point; null when unknown. */
  last: Look | null;
}

export const openScenes = ({ stage }: Sheet): Promise<Scene[]> =>
  Promise.all(Array.from({ length: workers }, () => stage.keep(openScene(), (scene) => scene.close())));

const renew = async ({ scene, log }: Pick<Ground, 'scene' | 'log'>): Promise<Ground> => ({
  scene,
  log,
  ...(await openEstate(scene)),
  used: 0,
  last: null,
});

const leave = async ({ victim, estate }: Ground): Promise<void> => {
  await victim.end('SIGKILL');
  estate.remove();
};

export interface Points<P> {
  plan: readonly P[];
  /** Every check of a treasury reads its whole chain: after so many points there is a new treasury. */
  perEstate: number;
  nameOf(point: P): string;
  /** @returns the running host, and its store as last seen */
  run(ground: Ground, point: P, number: number): Promise<Pick<Ground, 'victim' | 'last'>>;
  /** Whether to stop before the end of the plan. */
  isEnough?(tried: number): boolean;
}

/** Tries every point, and enters failures in the tally. */
export const tryPoints = async <P>(
  { stage, say }: Sheet,
  scenes: readonly Scene[],
  { failures }: Tally,
  { plan, perEstate, nameOf, run, isEnough = () => false }: Points<P>,
): Promise<void> => {
  const folder = stage.folder();
  let next = 0;
  const work = async (scene: Scene, worker: number): Promise<void> => {
    let ground = await renew({ scene, log: join(folder, `trace-${worker}`) });
    while (next < plan.length && !isEnough(next)) {
      const number = (next += 1);
      const point = plan[number - 1] as P;
      const failed = failures.length;
      try {
        const { used } = ground;
        ground = { ...ground, ...(await run(ground, point, number)), used: used + 1 };
      } catch (error) {
        failures.push(`${nameOf(point)}: ${error instanceof Error ? error.stack : String(error)}`);
      }
      // A treasury that a fault has spoiled is not used for the next point.
      if (failures.length > failed || ground.used >= perEstate) {
        await leave(ground);
        ground = await renew(ground);
      }
      if (number % 50 === 0) say(`${number} of ${plan.length} points, ${failures.length} failures`);
    }
    await leave(ground);
  };
  await Promise.all(scenes.map(work));
};
