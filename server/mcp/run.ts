// Serves the bridge over standard input and output, for old and new clients alike.
import process from 'node:process';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createBridge } from './bridge.ts';

/** Ends the process when the host of the bridge goes. Nothing but the protocol is written to standard output. */
export const runBridge = (env: NodeJS.ProcessEnv = process.env): void => {
  serveStdio(createBridge({ env, self: ownCommand() }), {
    onerror: (error) => void process.stderr.write(`treasury-mcp: ${error.message}\n`),
  });
  // Connections that stay open must not keep a bridge whose host is gone.
  process.stdin.once('end', () => process.exit(0));
  process.stdout.on('error', () => process.exit(0));
};

/** A single executable names itself where a script would stand. */
const ownCommand = (): { command: string; args: string[] } => {
  const { execPath, execArgv, argv } = process;
  const [, script, ...rest] = argv;
  const isExecutable = script === undefined || script === execPath;
  return { command: execPath, args: isExecutable ? rest : [...execArgv, script, ...rest] };
};
