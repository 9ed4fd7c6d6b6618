import { describe, expect, it } from 'vitest';
import { raiseOf } from '../../server/contract/raise.ts';
import { gaugeColor, isUsedUp, percentOf, percentText } from '../../renderer/shared/share.ts';

describe('a raise', () => {
  it.each([
    ['5.00', '50.00', null],
    ['5.00', '50.000001', 10],
    ['5.00', '500', 100],
    ['5', '1', null],
    ['5', 'x', null],
    ['', '500', null],
  ])('from %s to %s is %s times', (before, after, times) => {
    expect(raiseOf('Daily budget', before, after)?.times ?? null).toBe(times);
  });

  it('from nothing is asked about above 10 USDC, without a multiple', () => {
    expect(raiseOf('Daily budget', '0', '10')).toBeNull();
    expect(raiseOf('Daily budget', '0.00', '500')).toEqual({
      label: 'Daily budget',
      before: '0.00',
      after: '500',
      times: null,
    });
  });
});

describe('a gauge', () => {
  it('continues beyond a hundred per cent, in red', () => {
    expect(percentOf('7.935005', '1.00')).toBe(793);
    expect([percentText(793), percentText(12_345), percentText(percentOf('1', '0'))]).toEqual([
      '793 %',
      '12,345 %',
      '',
    ]);
    expect([79, 80, 99, 100, 793].map(gaugeColor)).toEqual(['teal', 'yellow', 'yellow', 'red', 'red']);
    expect([isUsedUp('0.99', '1'), isUsedUp('1', '1.00'), isUsedUp('0', '0')]).toEqual([false, true, true]);
  });
});
