// `try URL`: a customer with test money for the author of a paid API.
import { parseUsdc, type Usdc } from '../money.ts';
import { usdcMints } from '../contract/treasury/networks.ts';
import type { Network } from '../lib/solana/receipt.ts';
import { createTransactionReader } from '../paywall/transaction-reader.ts';
import { readArguments, UsageError, type Command } from './command.ts';
import { trySeller, type Line } from './try-seller.ts';
import { createPlayWallet, readWallet } from './wallet.ts';

const usage = `Buys from a paid API in every protocol that it offers, and says what is wrong with it.

Usage: agent-treasury-paywall try URL --rpc URL [options]

  --rpc URL        the Solana RPC that the seller uses: of a sandbox of Agent Treasury, where the customer gets play
                   money, or of another network with --key
  --key FILE       a key file of the Solana command, with USDC and SOL: on devnet and mainnet it pays for real
  --network NAME   sandbox, devnet or mainnet (sandbox)
  --max USDC       the most to pay in each protocol (1.00 on the sandbox, otherwise required)
  -X, --method NAME  the method of the request (GET; POST with a body)
  -d, --data TEXT    its body

Exit code: 0 when all that is offered works, 1 when something is wrong, 2 for a wrong command.
`;

const text = { type: 'string' } as const;
const networks: readonly Network[] = ['sandbox', 'devnet', 'mainnet'];

const readCommand = (args: string[]) => {
  const { values, positionals } = parsed(args);
  const [url] = positionals;
  if (url === undefined || positionals.length > 1)
    throw new UsageError('Usage: agent-treasury-paywall try URL --rpc URL');
  const network = networks.find((name) => name === (values.network ?? 'sandbox'));
  if (network === undefined) throw new UsageError('--network must be sandbox, devnet or mainnet');
  for (const [name, given] of [
    ['URL', url],
    ['--rpc', values.rpc ?? ''],
  ] as const)
    if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
      throw new UsageError(`${name} must be an http(s) URL`);
  if (network !== 'sandbox' && (values.key === undefined || values.max === undefined))
    throw new UsageError(`On ${network} money is real: give --key and --max`);
  return { ...values, url, network, rpc: values.rpc ?? '', most: mostOf(values.max ?? '1.00') };
};

const mostOf = (given: string): Usdc => {
  const most = parseUsdc(given);
  if (most === null || most === 0n)
    throw new UsageError('--max must be a decimal string of USDC such as "0.05"');
  return most;
};

const parsed = (args: string[]) =>
  readArguments({
    args,
    options: {
      rpc: text,
      key: text,
      network: text,
      max: text,
      method: { ...text, short: 'X' },
      data: { ...text, short: 'd' },
    },
  });

const marks: Readonly<Record<Line['verdict'], string>> = { ok: 'ok     ', no: '-      ', wrong: 'WRONG  ' };

const run = async (args: string[]): Promise<number> => {
  const { url, rpc, network, key, most, data, ...command } = readCommand(args);
  const reader = createTransactionReader({ rpcUrl: rpc, network, timeoutMs: 10_000 });
  const wallet = key === undefined ? await createPlayWallet(reader) : readWallet(key);
  const method = command.method ?? (data === undefined ? 'GET' : 'POST');
  const purse = { wallet, reader, network, mint: usdcMints[network] };
  const lines = await trySeller(purse, { url, method, body: data ?? null, most });
  for (const { verdict, text: said } of lines) process.stdout.write(`${marks[verdict]}${said}\n`);
  return lines.some(({ verdict }) => verdict === 'wrong') ? 1 : 0;
};

export const tryCommand: Command = { usage, run };
