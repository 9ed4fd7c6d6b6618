// A supplier of language models that streams at once, in a process of its own. The words of the last message say how many
// pieces come.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';

interface Asked {
  messages: { content: string }[];
  stream_options?: { include_usage?: boolean };
}

const piece = (content: string, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }], ...more })}\n\n`;
const words = piece('Some words of an answer. ');
const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return void (await text(request), response.end());
  const { messages, stream_options: options } = (await json(request)) as Asked;
  const pieces = Number(messages.at(-1)?.content.split(' ')[0]);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let left = pieces; left > 0; left -= 1)
    if (!response.write(words)) await new Promise((resolve) => response.once('drain', resolve));
  if (options?.include_usage === true) response.write(piece('', { choices: [], usage }));
  response.end('data: [DONE]\n\n');
}).listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
server.keepAliveTimeout = 60_000;
process.once('SIGTERM', () => process.exit(0));
