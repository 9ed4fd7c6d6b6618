// Recognises hosts on this machine, to which connections need no encryption.
import { isIPv4 } from 'node:net';

/** `localhost`, 127.0.0.0/8 (RFC 1122) and `::1` (RFC 4291), also in a URL's brackets. */
export const isLoopback = (host: string): boolean => {
  const name = host.toLowerCase();
  return (
    name === 'localhost' || name === '::1' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
  );
};
