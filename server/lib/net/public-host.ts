// Recognizes addresses of the public internet: only these are asked when somebody else names the URL.
import { lookup as resolveName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Not loopback, private, link-local, shared, multicast or reserved; nor an IPv6 form of such an IPv4 address. */
export const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  // IPv6 is allocated from 2000::/3 only; below it are obsolete ways to embed an IPv4 address.
  return address.kind() === 'ipv4' || (address.toByteArray()[0] ?? 0) >> 5 === 1;
};

/** Resolves a name only if all its addresses are public: one private address among them is an attack. */
export const publicLookup = (refusal: () => Error): LookupFunction => checkedLookup(isPublicAddress, refusal);

/** Resolves a name only if none of its addresses is public. */
export const privateLookup = (refusal: () => Error): LookupFunction =>
  checkedLookup((address) => !isPublicAddress(address), refusal);

const checkedLookup =
  (isFine: (address: string) => boolean, refusal: () => Error): LookupFunction =>
  (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '');
      if (!addresses.every(({ address }) => isFine(address))) return callback(refusal(), '');
      if (options.all === true) return callback(null, addresses);
      const [first] = addresses;
      callback(null, first?.address ?? '', first?.family ?? 4);
    });
  };
