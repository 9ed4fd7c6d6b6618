// The one document of `--json`: equal once it is parsed, and free of characters that a terminal would obey.
import { describe, expect, it } from 'vitest';
import { jsonText } from '../../server/cli/terminal.ts';

const every = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)).join('');

describe('a JSON document', () => {
  it('holds no control and no direction character, and is the same when it is parsed', () => {
    const said = `${every(0, 0x9f)}${every(0x200b, 0x200f)}${every(0x2028, 0x202e)}${every(0x2066, 0x2069)}\u061c\ufeff\u00ad\u{e0041}`;
    const value = { [said]: [said, { deep: said }], plain: 'é “ü” 雨 🙂' };
    const text = jsonText(value);
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    expect(JSON.parse(text)).toEqual(value);
    expect(text).toContain('é “ü” 雨 🙂');
  });

  it('keeps lone halves of a surrogate pair as they were', () => {
    const value = { half: '\ud83d', other: '\udc41\udb40' };
    expect(JSON.parse(jsonText(value))).toEqual(value);
  });
});
