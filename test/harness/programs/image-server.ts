// An image provider on this machine that speaks OpenAI's wire format and behaves as a test tells it to.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';

export interface Asked {
  prompt: string;
  size: string;
  authorization: string;
  /** Answers with a picture of the size that was asked for. */
  succeed(): Promise<void>;
  /** Answers with these bytes as the picture. */
  send(bytes: Buffer): void;
  refuse(status: number, message: string): void;
  /** Hangs up without an answer. */
  drop(): void;
}

export interface ImageServer {
  url: string;
  /** Everything that was asked for, in order. */
  asked: Asked[];
  /** The answer to each request; at first each succeeds. */
  answer: (asked: Asked) => void | Promise<void>;
  close(): Promise<void>;
}

export const createImageServer = async (): Promise<ImageServer> => {
  const asked: Asked[] = [];
  const server = createServer((request, response) => void take(request, response));
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Another treasury may look here for the WebSocket of its RPC, which is at the RPC's port + 1.
    if (request.method !== 'POST') return void response.destroy();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { prompt, size } = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
    const reply = (status: number, body: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const send = (bytes: Buffer): void =>
      reply(200, { created: 1, data: [{ b64_json: bytes.toString('base64') }] });
    const one: Asked = {
      prompt: prompt ?? '',
      size: size ?? '',
      authorization: request.headers.authorization ?? '',
      async succeed() {
        const [width = 0, height = 0] = (size ?? '').split('x').map(Number);
        const background = { r: 10, g: 120, b: 200 };
        send(
          await sharp({ create: { width, height, channels: 3, background } })
            .png()
            .toBuffer(),
        );
      },
      send,
      refuse: (status, message) => reply(status, { error: { message, type: 'invalid_request_error' } }),
      drop: () => void response.destroy(),
    };
    asked.push(one);
    await made.answer(one);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const made: ImageServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    answer: (one) => one.succeed(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return made;
};
