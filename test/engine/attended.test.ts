// A purchase that a call still waits for is not continued by another call until the last such call has ended.
import { expect, it } from 'vitest';
import { createAttended } from '../../server/engine/payment/machine/attended.ts';

it('is attended until the last call that waits for it has ended', () => {
  const attended = createAttended();
  const [one, two] = [new AbortController(), new AbortController()];
  for (const { signal } of [one, two, one]) attended.attend('wish', signal);
  expect([attended.has('wish'), attended.has('other')]).toEqual([true, false]);
  one.abort();
  expect(attended.has('wish')).toBe(true);
  expect([attended.hasOther('wish', one.signal), attended.hasOther('wish', two.signal)]).toEqual([
    true,
    false,
  ]);
  two.abort();
  expect([attended.has('wish'), attended.hasOther('wish', one.signal)]).toEqual([false, false]);
});

it('is not attended by a call that had ended before it asked', () => {
  const attended = createAttended();
  attended.attend('wish', AbortSignal.abort());
  expect(attended.has('wish')).toBe(false);
});

it('is not attended by a call that has left it', () => {
  const attended = createAttended();
  const [one, two] = [new AbortController().signal, new AbortController().signal];
  for (const signal of [one, two]) attended.attend('wish', signal);
  attended.leave('wish', one);
  expect(attended.has('wish')).toBe(true);
  attended.leave('wish', two);
  attended.leave('wish', two);
  expect(attended.has('wish')).toBe(false);
});
