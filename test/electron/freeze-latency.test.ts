// A stop from the tray takes effect while payments queue. The promised figure, p99 under 100 ms, is measured by
// `npm run bench -- --only f`: a busy machine must not fail a test.
import { expect, it } from 'vitest';
import { measureFreeze, queued } from './freeze-latency.ts';

it(`refuses payments after the click, with ${queued} of them queued`, async () => {
  // Before the first of them is paid, and while they are being paid.
  const times = await measureFreeze(2);
  expect(times.map((ms) => Number.isFinite(ms))).toEqual([true, true]);
});
