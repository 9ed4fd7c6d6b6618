// Serves the bridge over standard input and output, to old and new clients.
import process from 'node:process';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createBridge } from './bridge.ts';

/** Exits when the MCP host closes the connection. Standard output carries only the protocol. */
export const runBridge = (env: NodeJS.ProcessEnv = process.env): void => {
  serveStdio(createBridge({ env, self: ownCommand() }), {
    onerror: (error) => void process.stderr.write(`treasury-mcp: ${error.message}\n`),
  });
  // Open connections to the treasury must not keep alive a bridge whose host is gone.
  process.stdin.once('end', () => process.exit(0));
  process.stdout.on('error', () => process.exit(0));
};

/** A single executable repeats its own path where a script's would be. */
const ownCommand = (): { command: string; args: string[] } => {
  const { execPath, execArgv, argv } = process;
  const [, script, ...rest] = argv;
  const isExecutable = script === undefined || script === execPath;
  return { command: execPath, args: isExecutable ? rest : [...execArgv, script, ...rest] };
};
