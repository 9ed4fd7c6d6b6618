// Resolves every name that ends in `.test` (RFC 6761) to this machine, as a name server would.
import dns from 'node:dns';

const { lookup } = dns;
dns.lookup = (name, options, callback) => {
  const [given, answer] = typeof options === 'function' ? [{}, options] : [options, callback];
  if (!String(name).endsWith('.test')) return lookup(name, given, answer);
  const found = { address: '127.0.0.1', family: 4 };
  if (given?.all === true) return queueMicrotask(() => answer(null, [found]));
  return queueMicrotask(() => answer(null, found.address, found.family));
};
