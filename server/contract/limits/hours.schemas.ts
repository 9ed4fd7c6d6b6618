// The hours of a policy, as requests state them.
import { z } from 'zod';

const clockTime = z
  .string({ error: 'must be a time such as 08:30' })
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 08:30');
const dayRule = 'must be 1 for Monday to 7 for Sunday';
const weekday = z.number({ error: dayRule }).int(dayRule).min(1, dayRule).max(7, dayRule);
/** The days that are named, each once and in their order. */
const weekdays = z
  .array(weekday, { error: 'must be a list of days, 1 for Monday to 7 for Sunday' })
  .min(1, 'must name a day')
  .max(7, 'must be at most 7 days')
  .transform((days) => [...new Set(days)].toSorted((a, b) => a - b));
export const hours = z
  .strictObject(
    { days: weekdays, from: clockTime, to: clockTime },
    { error: 'must have days, from and to, such as {"days":[1,2,3,4,5],"from":"08:00","to":"19:00"}' },
  )
  .refine(({ from, to }) => from !== to, 'must not begin and end at the same time');
