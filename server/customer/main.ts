#!/usr/bin/env node
// `npx agent-treasury-paywall COMMAND`: the seller's tools.
import { AppError } from '../errors.ts';
import { restoredCommand, rotateCommand } from './another-secret.ts';
import { UsageError, type Command } from './command.ts';
import { gateCommand } from './gate.ts';
import { salesCommand } from './sales.ts';
import { tryCommand } from './try.ts';

const commands: Readonly<Record<string, Command>> = {
  gate: gateCommand,
  try: tryCommand,
  sales: salesCommand,
  rotate: rotateCommand,
  restored: restoredCommand,
};

const overview = `Sells an API to agents, for USDC on Solana.

Usage: agent-treasury-paywall COMMAND

${Object.entries(commands)
  .map(([name, { usage }]) => `  ${name.padEnd(10)}${usage.split('\n')[0]}`)
  .join('\n')}

agent-treasury-paywall COMMAND --help says more.
`;

const run = async ([name = '--help', ...args]: string[]): Promise<number> => {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined && name !== '--help')
    throw new UsageError(`There is no command ${name}: ${Object.keys(commands).join(', ')}`);
  if (command !== undefined && !args.includes('--help')) return command.run(args);
  process.stdout.write(command?.usage ?? overview);
  return 0;
};

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const cause = error instanceof AppError && error.cause instanceof Error ? error.cause : (error as Error);
  process.stderr.write(`${cause.message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
