// The proxy as the bridge's own program runs it: `treasury-mcp proxy`. An MCP host's entry starts it without a shell.
import process from 'node:process';
import { Command } from 'commander';
import { AppError } from '../../errors.ts';
import { describeProxy } from './command.ts';
import { runProxy } from './run.ts';

/** Ends the process with the server's exit code. */
export const runProxyProgram = async (args: readonly string[]): Promise<void> => {
  const program = new Command('treasury-mcp proxy');
  describeProxy(
    program,
    () => process.env,
    async (wrapped) => process.exit(await runProxy(wrapped, process.env)),
  );
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    process.stderr.write(`treasury-mcp: ${error.message}\n`);
    process.exitCode = 1;
  }
};
