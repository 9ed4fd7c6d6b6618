// The commands that fast-check may give a treasury, with their probabilities.
import {
  asyncModelRun,
  asyncProperty,
  commands,
  constantFrom,
  oneof,
  type Arbitrary,
  type IAsyncProperty,
} from 'fast-check';
import { burst, pay, retry } from './agents.ts';
import {
  arm,
  disk,
  fault,
  fork,
  kill,
  lastAct,
  lie,
  restart,
  seller,
  tick,
  underFire,
  whileDead,
} from './fate.ts';
import {
  approve,
  approveAll,
  boost,
  ceiling,
  delegate,
  deny,
  endKey,
  freeze,
  limitTeam,
  move,
  moveAgent,
  phoneAnswer,
  phoneApproves,
  phoneStop,
  policy,
  resume,
  resumeTeam,
  stopTeam,
  suspend,
  unfreeze,
} from './owner.ts';
import { askedUnderFire, askModels, hangUp, modelPolicy, modelTeam } from './models.ts';
import type { Command, Memory } from './command.ts';
import type { Life } from '../life.ts';

type Weights = [number, Arbitrary<Command>][];
const weights: Weights = [
  [12, pay],
  [4, burst],
  [4, retry],
  [3, approve],
  [2, approveAll],
  [1, deny],
  [1, freeze],
  [4, unfreeze],
  [1, suspend],
  [3, resume],
  [3, policy],
  [1, ceiling],
  [1, moveAgent],
  [1, limitTeam],
  [1, stopTeam],
  [3, resumeTeam],
  [2, boost],
  [3, delegate],
  [1, endKey],
  [1, phoneStop],
  [3, phoneAnswer],
  [2, phoneApproves],
  [3, move],
  [1, kill],
  [1, restart],
  [1, arm],
  [5, underFire],
  [2, lastAct],
  [2, whileDead],
  [3, fault],
  [1, disk],
  [2, lie],
  [3, seller],
  [2, fork],
  [10, tick],
];
/** Agents mostly ask language models, and the owner lets them go on sooner. */
const weightsOfModels: Weights = [
  ...weights,
  [100, askModels],
  [40, askedUnderFire],
  [6, hangUp],
  [8, modelPolicy],
  [3, modelTeam],
  [24, unfreeze],
  [14, resume],
  [14, resumeTeam],
  [10, tick],
];
const anyOf = (all: Weights): Arbitrary<Command> =>
  oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const [anyCommand, anyOfModels] = [anyOf(weights), anyOf(weightsOfModels)];

/** @param newLife begins a life, and returns a function that ends it */
export const lives = (
  newLife: (isAlone: boolean) => Promise<Life>,
  { asksModels, ...limits }: { asksModels: boolean; maxCommands: number; replayPath?: string },
  watch: { isOver(): boolean; ended(life: Life, isWrong: boolean): void },
): IAsyncProperty<[boolean, Iterable<Command>]> =>
  asyncProperty(
    constantFrom(false, false, true),
    commands([asksModels ? anyOfModels : anyCommand], { ...limits, size: 'max' }) as Arbitrary<
      Iterable<Command>
    >,
    async (isAlone, drawn) => {
      if (watch.isOver()) return;
      const life = await newLife(isAlone);
      let isWrong = true;
      try {
        await asyncModelRun(() => ({ model: { asks: [] } as Memory, real: life }), drawn);
        await life.finish();
        isWrong = false;
      } finally {
        watch.ended(life, isWrong);
        life.world.end();
      }
    },
  );
