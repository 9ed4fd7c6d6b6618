// Every gate of the campaign can run. Other tests hold the gates' promises; this one checks the gates. The full runs
// are `npm run campaign`.
import { describe, expect, it } from 'vitest';
import { gates } from './gates.ts';
import { report } from './report.ts';

/** Always the same: `npm run campaign` tries new ones. */
const seed = Number(process.env['CAMPAIGN_SEED'] ?? 1_984_271);

describe(`the fault campaign can be run, with CAMPAIGN_SEED=${seed}`, () => {
  it.for(gates.filter(({ smoke }) => smoke.length > 0))(
    'gate $number: $title',
    { timeout: 600_000 },
    async (gate, context) => {
      const result = await gate.run({ seed, size: 'smoke', say: () => {} });
      process.stderr.write(`${report(result)}\n`);
      if (result.verdict === 'skipped') context.skip(result.figures.map(({ target }) => target).join(', '));
      expect(result.verdict, report(result)).toBe('passed');
    },
  );
});
