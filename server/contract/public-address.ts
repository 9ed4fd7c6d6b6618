// Which addresses are the public internet's: what is asked on somebody's wish is asked there alone.
import { lookup as resolveName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Not loopback, private, link-local, shared, multicast or reserved, nor a way to write such an IPv4 address in IPv6. */
export const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  // IPv6 is handed out from 2000::/3 alone; below it lie old ways to write an IPv4 address.
  return address.kind() === 'ipv4' || (address.toByteArray()[0] ?? 0) >> 5 === 1;
};

/** Resolves a name to public addresses alone, or not at all: one private address among them is a trap. */
export const publicLookup =
  (refusal: () => Error): LookupFunction =>
  (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '');
      if (!addresses.every(({ address }) => isPublicAddress(address))) return callback(refusal(), '');
      if (options.all === true) return callback(null, addresses);
      const [first] = addresses;
      callback(null, first?.address ?? '', first?.family ?? 4);
    });
  };
