// Untrusted text in a notice: one line, no links, no markup, no whole address, and still readable.
import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainLine } from '../../server/lib/plain-line.ts';

const address = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

describe('a plain line', () => {
  it.each([
    ['is one line', 'a\r\nBcc: all@evil.example\u2028b\u0000c\td', 'a Bcc: all evil example b c d'],
    ['holds no URL', 'See https://evil.example/pay?x=1 now.', 'See evil example pay?x=1 now.'],
    [
      'holds no host',
      'evil.example, www.evil.co.uk and 10.0.0.1',
      'evil example, www evil co uk and 10 0 0 1',
    ],
    ['holds no host in other letters', 'evil。example ｅｖｉｌ．ｃｏｍ', 'evil example evil com'],
    ['holds no e-mail address and no mention', 'me@evil.example @everyone', 'me evil example everyone'],
    ['holds no scheme', 'mailto:x tel:123 javascript:alert(1)', 'mailto x tel 123 javascript alert(1)'],
    ['holds no HTML', '<img src=x onerror=y>', '‹img src=x onerror=y›'],
    ['holds no Markdown', '**bold** _it_ [a](b) `c` # d ~~e~~ |f', 'bold it a (b) c d e f'],
    ['holds no hidden characters', 'for\u202e \u200bBern\u2066', 'for Bern'],
    ['holds no whole address', `pay ${address} now`, 'pay 9xQe…VFin now'],
    [
      'holds no address with hidden characters',
      `${address.slice(0, 20)}\u200b${address.slice(20)}`,
      '9xQe…VFin',
    ],
    ['holds no key', `atk_${'A'.repeat(43)}`, 'atk …AAAA'],
    ['leaves amounts and times as they are', 'From 08:00 to 19:00, 0.40 of 5.00 USDC. Once.', null],
    ['leaves names as they are', 'code_reviewer-2 (the new one), “A & B”', null],
  ])('%s', (_case, text, expected) => {
    expect(plainLine(text)).toBe(expected ?? text);
  });

  it('is cut to 140 characters, or to as many as are asked for', () => {
    const long = 'word '.repeat(100);
    expect([...plainLine(long)]).toHaveLength(140);
    expect(plainLine(long, 10)).toBe('word word…');
  });

  it('is so for any text', () => {
    const part = oneof(
      string({ unit: 'grapheme' }),
      constantFrom(
        'https://',
        'evil',
        '.',
        'com',
        '@',
        '\n',
        '<',
        '*',
        '[',
        '](',
        '\u202e',
        address,
        '/',
        ':',
      ),
    );
    assert(
      property(array(part, { maxLength: 30 }), (parts) => {
        const line = plainLine(parts.join(''));
        expect([...line].length).toBeLessThanOrEqual(140);
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>@\\/*`[\]{}|]/u);
        expect(line).not.toMatch(/\p{L}\.\p{L}|https?:|[1-9A-HJ-NP-Za-km-z]{32}/u);
      }),
      { numRuns: 2_000 },
    );
  });
});
