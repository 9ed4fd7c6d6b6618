// (f) The time from the click on "Freeze everything" in the tray to the first refused payment.
import { measureFreeze, queued } from '../../../electron/freeze-latency.ts';
import { quantile } from '../measure.ts';
import { figure, type Result } from '../report.ts';
import type { Stage } from '../stage.ts';

const roundsOfOne = 100;
const mostMs = 100;

export const benchFreeze = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const count = roundsOfOne * rounds;
  stage.say(`f: ${count} freezes with ${queued} payments queued`);
  const times = await measureFreeze(count);
  const p99 = quantile(times, 0.99);
  return [
    {
      id: 'f.freeze',
      what: `click in the tray to first refusal, ${queued} queued: p99 ${p99.toFixed(1)} ms`,
      ours: figure('ms', times),
      floor: null,
      ratio: null,
      target: `p99 at most ${mostMs} ms`,
      met: p99 <= mostMs,
    },
  ];
};
