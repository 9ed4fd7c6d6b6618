// The names and origins of gate 8.
import { strangeHosts } from '../../../http/door/guarded.ts';

/** `P` stands for the port. The first two are ours. */
export const hosts: readonly string[] = [
  '127.0.0.1:P',
  'localhost:P',
  '',
  ...strangeHosts,
  'localhost:80',
  'evil.com:80',
  'user:pass@127.0.0.1:P',
  'localhost.localdomain:P',
  '0x7f000001:P',
  'evil.com, 127.0.0.1:P',
  '127.0.0.1:P\\@evil.com',
  '127.0.0.1%0a:P',
  'P',
];
export const isOwnHost = (host: string): boolean => host === '127.0.0.1:P' || host === 'localhost:P';

/** Undefined is no Origin. The first two are of no page and of the dashboard; the last two only contain ours. */
export const origins: readonly (string | undefined)[] = [
  undefined,
  'http://127.0.0.1:P',
  'null',
  'http://localhost:3000',
  'http://127.0.0.1:P.evil.test',
  'http://evil.test?http://localhost:P',
];
export const isOwnOrigin = (origin: string | undefined): boolean =>
  origin === undefined || origin === 'http://127.0.0.1:P';
