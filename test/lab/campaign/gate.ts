// The gates of the fault campaign, and their figures.
import { createStage, type Stage } from '../bench/stage.ts';
import { createDice, type Dice } from '../../harness/dice.ts';

/** `full` is the campaign, and `short` a run of a few minutes that catches a planted bug. */
export type Size = 'short' | 'full';

export interface GateOptions {
  /** The same seed gives the same plan of requests and faults. */
  seed: number;
  size: Size;
  /** Runs only this part of the gate. */
  part?: string | undefined;
  /** Plants only bugs whose names contain this. */
  bug?: string | undefined;
  /** Progress, for people. */
  say(text: string): void;
}

export interface Figure {
  what: string;
  value: number | string;
  /** The required value; empty for a figure that only informs, or the reason why it was not tried. */
  target: string;
  /** Null when there is no target. */
  met: boolean | null;
}

export interface GateResult {
  number: number;
  title: string;
  seed: number;
  size: Size;
  figures: Figure[];
  /** The first few findings in words, so that a failure can be investigated. */
  findings: string[];
  /** `skipped` means that nothing could be tried; the figures say why. */
  verdict: 'passed' | 'FAILED' | 'skipped';
  seconds: number;
}

export interface Gate {
  number: number;
  title: string;
  parts: readonly string[];
  /** @throws only when the gate itself could not run */
  run(options: GateOptions): Promise<GateResult>;
}

const findingsKept = 20;

const stages = new Set<Stage>();
/** Ends every process that a gate has started, when it is interrupted. */
export const endStages = async (): Promise<void> => {
  for (const stage of stages) await stage.end(true);
};

/** The sheet on which a part of a gate records its figures. */
export interface Sheet {
  dice: Dice;
  /** True unless this is the full size. */
  short: boolean;
  stage: Stage;
  /** Part of the names of the bugs to plant; undefined for all. */
  bug: string | undefined;
  say(text: string): void;
  /** A figure that must have exactly this value. */
  exactly(what: string, value: number, target: number): void;
  atMost(what: string, value: number, most: number, unit?: string): void;
  /** Fails when anything is found. */
  none(what: string, found: readonly string[]): void;
  tell(what: string, value: number | string): void;
  /** A figure that cannot be tried on this machine. */
  skip(what: string, why: string): void;
}

/** A gate whose parts run one after the other, each with dice of its own and on a stage that is closed after it. */
export const createGate = (
  number: number,
  title: string,
  parts: Readonly<Record<string, (sheet: Sheet) => Promise<void>>>,
): Gate => ({
  number,
  title,
  parts: Object.keys(parts),
  async run({ seed, size, part: only, bug, say }) {
    const figures: Figure[] = [];
    const findings: string[] = [];
    const begin = performance.now();
    const seconds = (): number => Math.round((performance.now() - begin) / 100) / 10;
    for (const [index, [name, part]] of Object.entries(parts).entries()) {
      if (only !== undefined && only !== name) continue;
      say(`gate ${number}, ${name}`);
      const stage = createStage();
      stages.add(stage);
      try {
        await part({
          dice: createDice(seed + index * 7_919),
          short: size === 'short',
          stage,
          bug,
          say: (text) => say(`  ${text}`),
          exactly(what, value, target) {
            const shown = target.toLocaleString('en');
            figures.push({ what, value, target: `exactly ${shown}`, met: value === target });
          },
          atMost(what, value, most, unit = '') {
            figures.push({ what, value, target: `at most ${most}${unit}`, met: value <= most });
          },
          none(what, found) {
            figures.push({ what, value: found.length, target: 'exactly 0', met: found.length === 0 });
            findings.push(...found.slice(0, findingsKept).map((one) => `${what}: ${one}`));
          },
          tell: (what, value) => void figures.push({ what, value, target: '', met: null }),
          skip: (what, why) => void figures.push({ what, value: 'skipped', target: why, met: null }),
        });
        const failed = figures.filter(({ met }) => met === false).length;
        say(`  ${failed === 0 ? 'all met' : `${failed} figures NOT met`} after ${seconds()} s`);
      } finally {
        await stage.end();
        stages.delete(stage);
      }
    }
    return {
      number,
      title,
      seed,
      size,
      figures,
      findings,
      verdict: verdictOf(figures),
      seconds: seconds(),
    };
  },
});

const verdictOf = (figures: readonly Figure[]): GateResult['verdict'] => {
  if (figures.some(({ met }) => met === false)) return 'FAILED';
  return figures.some(({ met }) => met === true) ? 'passed' : 'skipped';
};

/** A whole number from `low` to `high`, both included. */
export const between = ({ roll }: Dice, low: number, high: number): number =>
  low + Math.floor(roll() * (high - low + 1));

/** Shuffles, the same for the same dice. */
export const shuffled = <T>(dice: Dice, list: readonly T[]): T[] => {
  const all = [...list];
  for (let last = all.length - 1; last > 0; last -= 1) {
    const other = between(dice, 0, last);
    [all[last], all[other]] = [all[other] as T, all[last] as T];
  }
  return all;
};

/** Runs the jobs, at most `width` at a time. */
export const inParallel = async <T>(
  width: number,
  jobs: Iterable<T>,
  work: (job: T) => Promise<void>,
): Promise<void> => {
  const next = jobs[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let job = next.next(); job.done !== true; job = next.next()) await work(job.value);
  };
  await Promise.all(Array.from({ length: width }, worker));
};
