// Recognizes hosts on this machine, to which connections need no encryption.
// Free of Node, since a page knows the contract too.

/** `localhost`, 127.0.0.0/8 (RFC 1122) and `::1` (RFC 4291), also in a URL's brackets. */
export const isLoopback = (host: string): boolean => {
  const name = host.toLowerCase();
  return (
    name === 'localhost' ||
    name === '::1' ||
    name === '[::1]' ||
    /^127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/.test(name)
  );
};
