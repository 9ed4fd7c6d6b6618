// Requests against the guard at the port, for its own test and for the campaign.

/** None of these is ours; `P` stands for the port. */
export const strangeHosts: readonly string[] = [
  ...'127.0.0.1 localhost 127.0.0.1: 127.0.0.1:80 127.0.0.1:0P 127.0.0.1:P0 evil.com evil.com:P'.split(' '),
  ...'127.0.0.1.evil.com:P localhost.evil.com:P evil.com@127.0.0.1:P 127.0.0.1@evil.com:P'.split(' '),
  ...'127.0.0.1:P@evil.com localhost.:P LOCALHOST:P Localhost:P localhost:P. 127.0.0.1.:P'.split(' '),
  ...'sub.localhost:P 0.0.0.0:P 127.0.0.2:P 127.1:P 127.0.1:P 0x7f.0.0.1:P 0177.0.0.1:P'.split(' '),
  ...'2130706433:P 127.000.000.001:P [::1]:P ::1:P [::ffff:127.0.0.1]:P [::]:P localhost6:P'.split(' '),
  ...'127.0.0.1.nip.io:P localtest.me:P 127.0.0.1:P/ 127.0.0.1:P# http://127.0.0.1:P'.split(' '),
  ...'//127.0.0.1:P 127.0.0.1:P?x 127.0.0.1%00:P null *'.split(' '),
  '127.0.0.1:P, evil.com',
  '127.0.0.1:P evil.com',
  '127.0.0.1 :P',
  '127.0.0.1: P',
  '127.0.0.1\xa0:P',
  '\xb927.0.0.1:P',
];

/** The owner's statuses once the guard lets the request through. */
export const guardedMethods = {
  GET: ['/v1/dashboard', 200],
  HEAD: ['/v1/dashboard', 200],
  POST: ['/v1/unfreeze', 200],
  DELETE: ['/v1/grants/none', 404],
  PUT: ['/v1/dashboard', 404],
  OPTIONS: ['/v1/freeze', 404],
} as const;

/** Headers that would let a page read an answer. */
export const cors = /access-control|timing-allow-origin|cross-origin-resource-policy: cross/;

/** Header lines. */
export const goodHosts: string[][] = [
  ['Host: 127.0.0.1:P'],
  ['Host: localhost:P'],
  ['host: 127.0.0.1:P'],
  ['HOST:127.0.0.1:P'],
  // White space around a value is not part of it: RFC 9110, section 5.5.
  ['Host:   127.0.0.1:P  '],
];
export const badHosts: string[][] = [
  [],
  ['Host:'],
  ['Host: 127.0.0.1:P', 'Host: 127.0.0.1:P'],
  ['Host: 127.0.0.1:P', 'Host: evil.com'],
  ['Host: evil.com', 'Host: 127.0.0.1:P'],
  ['Host: localhost:P', 'hOST: localhost:P'],
  ...[...strangeHosts, '127.0.0.1:P1', 'localhost:P1', '127.0.0.1:P\\@evil'].map((host) => [`Host: ${host}`]),
];
export const goodOrigins: string[][] = [
  [],
  ['Origin: http://127.0.0.1:P'],
  ['Origin: http://localhost:P'],
  ['oRIGIN: http://127.0.0.1:P'],
];
export const badOrigins: string[][] = [
  ...[
    'null',
    '',
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://localhost',
    'http://127.0.0.1',
    'https://evil.com',

    'https://127.0.0.1:P',
    'ws://127.0.0.1:P',
    'file://',
    'HTTP://127.0.0.1:P',
    'http://127.0.0.1:P/',
    'http://127.0.0.1:P1',

    'http://127.0.0.1:P.evil.com',
    'http://127.0.0.1.evil.com:P',
    'http://evil.com:P',
    'http://[::1]:P',
    'http://localhost.:P',

    'chrome-extension://abc',
    '127.0.0.1:P',
    'http://127.0.0.1:P http://127.0.0.1:P',
    'http://127.0.0.1:P, http://evil.com',
    '*',
  ].map((origin) => [`Origin: ${origin}`]),
  ['Origin: http://127.0.0.1:P', 'Origin: http://127.0.0.1:P'],
  ['Origin: http://127.0.0.1:P', 'Origin: https://evil.com'],
];
