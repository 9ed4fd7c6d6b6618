// Reads many transfers without holding up payments.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Rows that the first step of a search may read; payments go on between two steps. */
const rowsOfFirstStep = 1_000;
/** A faster step doubles the rows of the next step, a slower one halves them. */
const stepMs = { least: 1, most: 4 };
/** Only an index answers this fast, whatever the number of rows. */
const byIndex = { ms: 0.25, factor: 16 };

interface Range {
  after: number;
  before: number;
}

/** Ranges of rows, the newest first, each so large that its reader takes some milliseconds; payments go on in between. */
export async function* stepsOver({ after: oldest, before: newestOf }: Range): AsyncGenerator<Range, void> {
  let rows = rowsOfFirstStep;
  for (let before = newestOf; before > oldest + 1;) {
    const begin = performance.now();
    const after = Math.max(oldest, before - 1 - rows);
    yield { after, before };
    const ms = performance.now() - begin;
    if (ms < stepMs.least) rows *= ms < byIndex.ms ? byIndex.factor : 2;
    else if (ms > stepMs.most) rows = Math.max(1, Math.floor(rows / 2));
    before = after + 1;
    await nextTurn();
  }
}
