// Serves the bridge over standard input and output, to old and new clients.
import process from 'node:process';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { thisProgram } from '../lib/this-program.ts';
import { createBridge } from './bridge.ts';

/** Exits when the MCP host closes the connection. Standard output carries only the protocol. */
export const runBridge = (env: NodeJS.ProcessEnv = process.env): void => {
  serveStdio(createBridge({ env, self: thisProgram() }), {
    onerror: (error) => void process.stderr.write(`treasury-mcp: ${error.message}\n`),
  });
  // Open connections to the treasury must not keep alive a bridge whose host is gone.
  process.stdin.once('end', () => process.exit(0));
  process.stdout.on('error', () => process.exit(0));
};
