// The floor of the bridge: a stdio server of the same SDK with one tool that always returns the same.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'bare', version: '1.0.0' });
  server.registerTool('ping', { description: 'Answers.', inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: 'pong' }],
  }));
  return server;
});
process.stdin.once('end', () => process.exit(0));
