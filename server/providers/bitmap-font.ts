// Letters for the painter, five pixels wide and seven high; drawn as a path, since a bare machine has no fonts.

/** For each letter seven rows from the top; each is a digit in base 32 whose bits are the pixels. */
const drawn: readonly (readonly [letters: string, rows: string])[] = [
  ['ABCDEFG', 'ehhvhhh uhhuhhu ehggghe uhhhhhu vgguggv vgguggg ehgnhhf'],
  ['HIJKLMN', 'hhhvhhh e44444e 72222ic hikokih ggggggv hrllhhh hhpljhh'],
  ['OPQRSTU', 'ehhhhhe uhhuggg ehhhlid uhhukih fgge11u v444444 hhhhhhe'],
  ['VWXYZ', 'hhhhha4 hhhllla hha4ahh hhha444 v1248gv'],
  ['01234', 'ehjlphe 4c4444e eh1248v v2421he 26aiv22'],
  ['56789', 'vgu11he 68guhhe v124888 ehhehhe ehhf12c'],
  [' .,:;!', '0000000 00000cc 0000c48 0cc0cc0 0cc0c48 4444404'],
  ['?-\'"()', 'eh12404 000v000 c480000 aaa0000 2488842 8422248'],
  ['/+=&%#', '01248g0 044v440 00v0v00 cik8lid op248j3 aavavaa'],
];
const glyphs = new Map(
  drawn.flatMap(([letters, rows]) => rows.split(' ').map((row, index) => [letters[index], row])),
);
/** An empty frame, for characters that the font lacks. */
const frame = 'vhhhhhv';

/** The distance from one letter to the next. */
export const advance = 6;
export const letterHeight = 7;

/** The text in the font's letters: capitals without accents. */
export const inLetters = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[“”„]/g, '"')
    .replaceAll(/[–—]/g, '-')
    .toUpperCase();

/** The path of one line of text; a pixel of a letter is one unit. */
export const pathOf = (line: string): string =>
  [...line]
    .flatMap((letter, index) =>
      [...(glyphs.get(letter) ?? frame)].flatMap((digit, row) =>
        runsOf(digit).map(([from, to]) => {
          const x = index * advance + from;
          return `M${x} ${row}h${to - from}v1h-${to - from}z`;
        }),
      ),
    )
    .join('');

/** Each run of adjacent pixels is one stroke: edges within a stroke would show as seams. */
const runsOf = (digit: string): [from: number, to: number][] => {
  const points = Number.parseInt(digit, 32).toString(2).padStart(5, '0');
  return [...points.matchAll(/1+/g)].map(({ index, 0: run }) => [index, index + run.length]);
};
