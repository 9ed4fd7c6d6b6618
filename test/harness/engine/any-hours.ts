// Random hours of a week, half of them over midnight.
import * as fc from 'fast-check';
import type { Hours } from '../../../server/contract/limits/hours.ts';

const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));

export const anyHours: fc.Arbitrary<Hours> = fc
  .record({ days: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }), from: clock, to: clock })
  .filter(({ from, to }) => from !== to);
