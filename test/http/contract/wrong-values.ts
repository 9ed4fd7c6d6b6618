// Values that are no amount, no wallet or no name, and the answer that a route has to give.

export const notText = [1, true, null, [], {}, ['x']];
export const notNumbers = ['1', '', null, true, [], {}, 1.5, -1, 1e300];
export const notDecimals = [
  ...notText,

  '',
  ' ',
  ' 1',
  '1 ',
  '1\n',
  '\t1',
  ...'01 00 -1 -0 +1 1. .5 . 1..2 1.2.3 1,5 1_000 1e6 1E-2 0x10 0b1 0o7 1n NaN Infinity null undefined'.split(
    ' ',
  ),
  ...'1.1234567 0.0000001 1000000000 １ ٣ १ ½ 1/2 $1'.split(' '),
  '9'.repeat(10_000),
  '1\u0000',
  '1\u200b',
  '1 USDC',
  0.1,
  1e6,
  -1,
  1.005,
];
export const notAmounts = [...notDecimals, '0', '0.0', '0.00', '0.000000'];
export const notWallets = [
  ...notText,
  '',
  'wallet',
  '0'.repeat(43),
  'l'.repeat(43),
  '1'.repeat(31),
  '1'.repeat(45),
  `0x${'a'.repeat(40)}`,
];
export const notServices = [...notText, '', 'x'.repeat(201), 'a\u202eb', 'a\u0000b', 'a\nb'];
export const notCurrencies = [...notText, '', 'usdc', 'ETH', 'ETH-USDC', 'EURC', 'SOL', 'USDC '];
export const notNames = [...notText, '', '   ', '\u202e\u200b', 'x'.repeat(81)];
export const notMoments = [
  ...notText,
  '',
  'tomorrow',
  '2026',
  '2026-02-30T',
  '2026-13-01',
  '2026-01-01T25:00Z',
  '2026-01-01T00:00',
  '01.02.2026',
];

export const notTimes = [...notText, '', 'tomorrow', '2030-02-30', '2030-01-01T25:00Z'];
export const notUrls = [
  ...notText,
  '',
  'weather',
  'ftp://a.example/',
  'file:///etc/passwd',
  'javascript:1',
  `https://a.example/${'x'.repeat(2_000)}`,
];
export const notEmails = [
  ...notText,
  '',
  'a',
  'a@',
  '@b',
  'a b@c.example',
  'a@b.example\nBcc: c@d.example',
  `${'a'.repeat(250)}@b.example`,
];
export const notAgents = [
  ...notText,
  '',
  '.a',
  '-a',
  '_a',
  'a b',
  'ä',
  'a/b',
  '../a',
  'a'.repeat(65),
  'a\n',
  'a\u0000',
];
export const notFlags = [1, 'true', null, [], {}];
export const notHashes = [...notText, '', 'x', 'A'.repeat(64), '0'.repeat(63)];
export const notPages = ['', '0', '-1', '1.5', 'x', '501', '99999999999', '0x1', '１', '1&limit=2'];

/** The fault of an answer to wrong input, or undefined: for people and for programs it names the same fields. */
export const fault = (
  name: string,
  { status, body, text }: { status: number; body: Record<string, unknown>; text: string },
): string | undefined => {
  const sentence = String(body['error']);
  const { fields = {} } = (body['details'] ?? {}) as { fields?: Record<string, string> };
  const said = Object.entries(fields).map(([at, message]) => `${at}: ${message}`);
  const fine =
    status === 400 &&
    body['code'] === 'bad_request' &&
    sentence.includes(name) &&
    /^[^:]+: .{10,}\.$/s.test(sentence) &&
    sentence === `${said.join('; ')}.`;
  return fine ? undefined : `${name}: ${status} ${text.slice(0, 300)}`;
};
