// A supplier of language models on this machine, which answers as a test asks it to.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Question {
  path: string;
  headers: IncomingHttpHeaders;
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies of every shape
  body: any;
}

export interface Supplier {
  url: string;
  /** All that came, in order. */
  asked: Question[];
  answer: (question: Question, response: ServerResponse) => void | Promise<void>;
  close(): Promise<void>;
}

export const openSupplier = async (): Promise<Supplier> => {
  const server = createServer(async (request, response) => {
    // Another treasury may look here for the WebSocket of its RPC, which is at the RPC's port + 1.
    if (request.method !== 'POST') return void response.destroy();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const question = {
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString()) as unknown,
    };
    supplier.asked.push(question);
    await supplier.answer(question, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const supplier: Supplier = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: [],
    answer: (_question, response) => json(response, 500, { error: { message: 'no answer was set' } }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return supplier;
};

export const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

export const usageOf = (input: number, output: number, cached = 0) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
});

/** A whole answer of OpenAI's chat. */
export const chat = (text: string, usage: object, model = 'gpt-4o-test') => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model,
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage,
});

const chunk = (choices: unknown[], more: object = {}) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o-test', choices, ...more })}\n\n`;
export const delta = (text: string): string =>
  chunk([{ index: 0, delta: { content: text }, finish_reason: null }], { usage: null });
export const usageChunk = (usage: object): string => chunk([], { usage });
export const done = 'data: [DONE]\n\n';

export const stream = (response: ServerResponse): ServerResponse => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return response;
};
