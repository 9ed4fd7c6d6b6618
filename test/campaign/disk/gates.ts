// The gates about disk and process.
import type { Gate } from './gate.ts';
import { gate5 } from './io-errors.ts';
import { gate3 } from './kill-points.ts';
import { gate4 } from './power-loss.ts';

export const gates: readonly Gate[] = [gate3, gate4, gate5];
