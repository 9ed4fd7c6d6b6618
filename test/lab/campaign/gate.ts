// What a gate of the fault campaign is, and how its figures read.
import { createStage, type Stage } from '../bench/stage.ts';
import { createDice, type Dice } from '../../http/random-input.ts';

/**
 * `full` is the campaign, `short` a run of a few minutes that catches a planted bug, and `smoke` what fits into
 * `npm test`: some parts of a gate, tried so little that they show hardly more than that the gate can run.
 */
export type Size = 'smoke' | 'short' | 'full';

export interface GateOptions {
  /** The same seed makes the same plan of requests and faults. */
  seed: number;
  size: Size;
  /** One of the gate's parts alone. */
  part?: string | undefined;
  /** Progress, for people. */
  say(text: string): void;
}

export interface Figure {
  what: string;
  value: number | string;
  /** What the value has to be; empty for a figure that only tells, or why it was not tried. */
  target: string;
  /** Null where there is no target. */
  met: boolean | null;
}

export interface GateResult {
  number: number;
  title: string;
  seed: number;
  size: Size;
  figures: Figure[];
  /** The first few findings in words, so that a failure can be looked into. */
  findings: string[];
  /** `skipped`: nothing could be tried, and the figures say why. */
  verdict: 'passed' | 'FAILED' | 'skipped';
  seconds: number;
}

export interface Gate {
  number: number;
  title: string;
  parts: readonly string[];
  /** Those of its parts that the smallest size tries. */
  smoke: readonly string[];
  /** Throws only when the gate itself could not run. */
  run(options: GateOptions): Promise<GateResult>;
}

const findingsKept = 20;

const stages = new Set<Stage>();
/** Ends every process that a gate has started: for who interrupts it. */
export const endStages = async (): Promise<void> => {
  for (const stage of stages) await stage.end(true);
};

/** Where a part of a gate writes what it saw. */
export interface Sheet {
  dice: Dice;
  /** Not the full size. */
  short: boolean;
  /** The smallest size; then `short` holds too. */
  smoke: boolean;
  stage: Stage;
  say(text: string): void;
  /** A figure that has to be exactly so. */
  exactly(what: string, value: number, target: number): void;
  atMost(what: string, value: number, most: number, unit?: string): void;
  /** Fails when anything is found. */
  none(what: string, found: readonly string[]): void;
  tell(what: string, value: number | string): void;
  /** What cannot be tried on this machine. */
  skip(what: string, why: string): void;
}

/** A gate whose parts run one after the other, each with dice of its own and on a stage that is gone after it. */
export const createGate = (
  number: number,
  title: string,
  parts: Readonly<Record<string, (sheet: Sheet) => Promise<void>>>,
  /** The parts of the smallest size. */
  smoke: readonly string[] = Object.keys(parts),
): Gate => ({
  number,
  title,
  parts: Object.keys(parts),
  smoke,
  async run({ seed, size, part: only, say }) {
    const figures: Figure[] = [];
    const findings: string[] = [];
    const begin = performance.now();
    const seconds = (): number => Math.round((performance.now() - begin) / 100) / 10;
    for (const [index, [name, part]] of Object.entries(parts).entries()) {
      if (only === undefined ? size === 'smoke' && !smoke.includes(name) : only !== name) continue;
      say(`gate ${number}, ${name}`);
      const stage = createStage();
      stages.add(stage);
      try {
        await part({
          dice: createDice(seed + index * 7_919),
          short: size !== 'full',
          smoke: size === 'smoke',
          stage,
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

/** In another order, the same for the same dice. */
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
