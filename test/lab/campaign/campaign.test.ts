// Every gate of the campaign runs. What the gates promise is held by tests of its own; this holds the gates. In
// earnest: `npm run campaign`.
import { describe, expect, it } from 'vitest';
import { gates } from './gates.ts';
import { report } from './report.ts';

/** Always the same: `npm run campaign` is where new ones are tried. */
const seed = Number(process.env['CAMPAIGN_SEED'] ?? 1_984_271);

describe(`the fault campaign can be run, with CAMPAIGN_SEED=${seed}`, () => {
  it.for(gates.filter(({ smoke }) => smoke.length > 0))(
    'gate $number: $title',
    { timeout: 180_000 },
    async (gate, context) => {
      const result = await gate.run({ seed, size: 'smoke', say: () => {} });
      process.stderr.write(`${report(result)}\n`);
      if (result.verdict === 'skipped') context.skip(result.figures.map(({ target }) => target).join(', '));
      expect(result.verdict, report(result)).toBe('passed');
    },
  );
});
