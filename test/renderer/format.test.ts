import { describe, expect, it } from 'vitest';
import { counted, figureOf, groupDigits, listed, shorten } from '../../renderer/shared/format.ts';
import { createDice } from '../harness/dice.ts';
import { agoOf } from '../../renderer/shared/time.ts';
import { ordinal, randomPlaces } from '../../renderer/shared/random-places.ts';

describe('formatted text', () => {
  it.each([
    ['0.00', '0.00'],
    ['999.50', '999.50'],
    ['1000.00', '1,000.00'],
    ['1234567.000001', '1,234,567.000001'],
    ['-1234.5', '-1,234.5'],
  ])('groups %s as %s', (decimal, text) => {
    expect(groupDigits(decimal)).toBe(text);
  });

  it.each([
    ['0.00', '0.00'],
    ['5.5', '5.50'],
    ['34.124995', '34.1249'],
    ['4.999999', '4.9999'],
    ['0.000001', '0.000001'],
    ['0.000123456', '0.0001234'],
    ['0.100001', '0.10'],
    ['12345.678901', '12,345.67'],
    ['-1.00009', '-1.00'],
  ])('writes the figure %s as %s, never larger than it is', (decimal, text) => {
    expect(figureOf(decimal)).toBe(text);
    expect(Math.abs(Number(text.replaceAll(',', '')))).toBeLessThanOrEqual(Math.abs(Number(decimal)));
  });

  it('shows a recent time as how long ago it was', () => {
    const now = Date.parse('2026-03-04T12:00:00.000Z');
    const ago = (seconds: number) => agoOf(new Date(now - seconds * 1_000).toISOString(), now);
    expect([-5, 0, 59, 60, 3_599, 3_600, 43_199].map(ago)).toEqual([
      'just now',
      'just now',
      'just now',
      '1 min ago',
      '59 min ago',
      '1 h ago',
      '11 h ago',
    ]);
    expect(ago(43_200)).not.toContain('ago');
  });

  it('shortens an address to its ends, and leaves short texts whole', () => {
    expect(shorten('DzSeJNQrznofrnrB5Ttu4pTbQxpXpCxTspsyyuvo783k')).toBe('DzSe…783k');
    expect(shorten('twelve chars')).toBe('twelve chars');
  });

  it('counts in singular and plural', () => {
    expect([counted(1, 'agent'), counted(0, 'agent'), counted(1_200, 'agent')]).toEqual([
      '1 agent',
      '0 agents',
      '1,200 agents',
    ]);
  });

  it('lists items as in prose', () => {
    expect([listed([]), listed(['a']), listed(['a', 'b']), listed(['a', 'b', 'c'])]).toEqual([
      '',
      'a',
      'a and b',
      'a, b and c',
    ]);
  });

  it('gives ordinals their endings', () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 24].map(ordinal).join(' ')).toBe(
      '1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 23rd 24th',
    );
  });
});

describe('the words of the phrase that are asked for', () => {
  it('are at different places, in order, for any random numbers', () => {
    for (const random of [() => 0, () => 0.999_999, createDice(1).roll]) {
      const places = randomPlaces(3, 24, random);
      expect(new Set(places).size).toBe(3);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(places.every((place) => place >= 1 && place <= 24)).toBe(true);
    }
  });

  it('can be any of them', () => {
    const { roll } = createDice(1);
    const seen = new Set(Array.from({ length: 2_000 }, () => randomPlaces(3, 24, roll)).flat());
    expect(seen.size).toBe(24);
  });
});
