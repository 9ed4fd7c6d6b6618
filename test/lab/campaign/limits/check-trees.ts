// Many random trees of limits and their lives, each compared with the reference.
import { asyncProperty, array, check, type RunDetails } from 'fast-check';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { live, type Tally } from './life.ts';
import { makeTemplate } from './real.ts';
import { anyStep, anyTree, type Step, type TreeWish } from './steps.ts';

export interface TreeReport extends Tally {
  trees: number;
  /** The smallest life that differs, and how to see it again. */
  finding: string | null;
}

/** In memory: the disk is not what is tested here. */
const inMemory = '/dev/shm';

export interface TreeOptions {
  seed: number;
  trees: number;
  /** The longest life; others are shorter. */
  steps: number;
  /** Of an earlier finding. */
  path?: string;
}

const print = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? Number(value) : value === null ? undefined : value;

const findingOf = (details: RunDetails<[TreeWish, Step[]]>): string => {
  const { seed, counterexamplePath, counterexample, errorInstance } = details;
  const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return `${why}; seed ${seed}, path ${String(counterexamplePath)}: ${JSON.stringify(counterexample, print)}`;
};

export const checkTrees = async ({ seed, trees, steps, path }: TreeOptions): Promise<TreeReport> => {
  const folder = mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), 'treasury-limits-'));
  const template = join(folder, 'template.db');
  makeTemplate(template, Date.UTC(2026, 0, 1));
  const tally: Tally = { operations: 0, sums: 0, windows: 0, over: 0, verdicts: new Map() };
  let lives = 0;
  const holds = asyncProperty(
    anyTree,
    array(anyStep, { minLength: 1, maxLength: steps, size: 'max' }),
    async (tree, taken) => {
      lives += 1;
      await live({ folder, template, tally }, tree, taken);
    },
  );
  try {
    const details = await check(holds, { seed, numRuns: trees, ...(path === undefined ? {} : { path }) });
    return { ...tally, trees: Math.min(lives, trees), finding: details.failed ? findingOf(details) : null };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
