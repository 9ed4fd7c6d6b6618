// The common part of the peers' programs. Each is a process of its own: settings come as JSON in its first argument,
// its first line on standard output is JSON too, and it ends when its standard input does.
import { createServer } from 'node:http';

export const settings = JSON.parse(process.argv[2] ?? '{}');

process.stdin.on('end', () => process.exit(0));
process.stdin.on('error', () => process.exit(0));
process.stdin.resume();

export const ready = (line) => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** Calls one method of a Solana RPC. */
export const rpcCall = async (method, ...params) => {
  const response = await fetch(settings.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = await response.json();
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
};

/** SOL for the fees of some thousand transactions. */
export const giveSol = (address) => rpcCall('requestAirdrop', address, 10_000_000_000);

/** Opens the owner's USDC account and mints `units` micro-USDC into it. */
export const giveUsdc = (address, units = '0') => rpcCall('sandbox_fundUsdc', address, units);

/** Serves on a free port of loopback, and resolves with its URL. */
export const listen = (handler) =>
  new Promise((resolve, reject) => {
    const server = createServer({ noDelay: true }, handler);
    server.keepAliveTimeout = 60_000;
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`));
  });
