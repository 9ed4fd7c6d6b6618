// `gate FILE`: sells an API in any language from a file of routes and prices.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { FileFault, optionsOf, readGateFile, settlesItself, type GateFile } from '../gate/file.ts';
import { createGate, type GateKeys } from '../gate/gate.ts';
import { createGrantStore } from '../paywall/store/grant-store.ts';
import { makeKeyFile } from '../paywall/key-file.ts';
import { createTransactionReader } from '../paywall/transaction-reader.ts';
import type { KeySigner, Signer } from '../paywall/types.ts';
import { fileIn, readArguments, type Command } from './command.ts';
import { readWallet } from './wallet.ts';

const usage = `Sells an API in any language: a paid front for its server, from a file of routes and prices.

Usage: agent-treasury-paywall gate FILE [--check]

  --check          only read the file, and say what is wrong with it

It reads FILE again on SIGHUP, and ends after the requests under way on SIGTERM. Exit code: 0, 1 for a file with a
mistake, 2 for a wrong command.
`;

const readCommand = (args: string[]) => {
  const { values, positionals } = readArguments({
    args,
    options: { check: { type: 'boolean', default: false } },
  });
  return { file: fileIn('gate', positionals), check: values.check };
};

/** @throws FileFault when a key cannot be read, or is not the recipient's */
const keysOf = (file: GateFile): GateKeys => ({ refunds: refundSignerOf(file), fees: feePayerOf(file) });

const refundSignerOf = (file: GateFile): Signer | null => {
  const [{ refundKey }, { recipient }] = [file, optionsOf(file, null)];
  if (refundKey === undefined) return null;
  const wallet = readWallet(refundKey, 'refundKey');
  if (wallet.address === recipient) return wallet.sign;
  throw new FileFault(`refundKey: is the key of ${wallet.address}, and the recipient is ${recipient}`);
};

/** The key of its own that pays fees; one is made at the first start. */
const feePayerOf = (file: GateFile): KeySigner | null => {
  const { feePayerKey } = file;
  if (!settlesItself(file)) return null;
  return existsSync(feePayerKey) ? readWallet(feePayerKey, 'feePayerKey') : makeKeyFile(feePayerKey);
};

/** On a sandbox, SOL is asked for. */
const feesOf = async (file: GateFile, { fees }: GateKeys): Promise<string> => {
  if (fees === null) return '';
  const { address } = fees;
  const { rpcUrl, network } = optionsOf(file, null);
  if (network === 'sandbox') {
    const reader = createTransactionReader({ rpcUrl, network: 'sandbox', timeoutMs: 10_000 });
    await reader.call('requestAirdrop', [address, playLamports]).catch(() => {});
    return '';
  }
  return `Fees of x402 are paid by ${address}, the key in ${file.feePayerKey}: send it SOL. 0.01 SOL are about 1,000 sales.\n`;
};

const playLamports = 1_000_000_000;

/** A sentence once in a row: each route may have the same to say. */
const createSay = () => {
  let last = '';
  return (text: string): void => {
    if (text !== last) process.stderr.write(`${new Date().toISOString()} ${text}\n`);
    last = text;
  };
};

const overview = (file: GateFile, url: string): string => {
  const [{ routes, settle, upstream }, { recipient, network }] = [file, optionsOf(file, null)];
  const lines = routes.map(({ method, path, price, refundOn }) => {
    const refunds = refundOn.map((range) => [...new Set(range)].join('-')).join(', ');
    const cost =
      price === undefined ? 'free' : `${price} USDC${refunds === '' ? '' : `, sent back on ${refunds}`}`;
    return `  ${method.padEnd(6)} ${path.padEnd(24)} ${cost}`;
  });
  const x402 = settle === undefined ? ' (x402 needs settle)' : ', x402';
  return [
    `${url} sells for ${recipient} on ${network}, in front of ${upstream.origin}`,
    ...lines,
    `Paid with receipts, MPP${x402}. Buyers find it by ${url}/openapi.json\n`,
  ].join('\n');
};

const run = async (args: string[]): Promise<number> => {
  const command = readCommand(args);
  const read = () => readGateFile(command.file, process.env);
  const file = read();
  if (command.check) {
    process.stdout.write(`${command.file}: ${file.routes.length} routes, nothing wrong\n`);
    return 0;
  }
  const say = createSay();
  const store = createGrantStore(file.store);
  const keys = keysOf(file);
  const gate = createGate(file, { store, keys, say });
  // Before the gate announces itself: whoever has read that it sells may send a signal.
  process.on('SIGHUP', () => {
    try {
      const next = read();
      gate.use(next, keysOf(next));
      const fixed = next.store !== file.store || next.listen.port !== file.listen.port;
      say(
        `${command.file} was read again${fixed ? '; changes to listen and store take effect after a restart' : ''}`,
      );
    } catch (error) {
      say(`Keeping the previous file: ${(error as Error).message}`);
    }
  });
  const asked = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  gate.server.listen(file.listen.port, file.listen.host);
  await once(gate.server, 'listening');
  const { port } = gate.server.address() as AddressInfo;
  const host = file.listen.host.includes(':') ? `[${file.listen.host}]` : file.listen.host;
  // Of a chain that does not answer it is known after seconds.
  const fees = await Promise.race([feesOf(file, keys), asked]);
  if (typeof fees === 'string') process.stdout.write(overview(file, `http://${host}:${port}`) + fees);
  await asked;
  await gate.drain();
  store.close();
  return 0;
};

export const gateCommand: Command = { usage, run };
