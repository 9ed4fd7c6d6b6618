// A program that proves that it knows an API key, as a treasury does, and answers each other request as a test says.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashOfKey, healthProof } from '../../../server/contract/host/health-proof.ts';

export const apiKeyOfTest = 'atk_of_a_test';

export interface Pretended {
  url: string;
  /** All requests but those for the proof. */
  asked: IncomingMessage[];
  close(): Promise<void>;
}

export const pretendTreasury = async (
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  { port = 0, apiKey = apiKeyOfTest } = {},
): Promise<Pretended> => {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', own());
    response.setHeader('content-type', 'application/json');
    if (pathname === '/v1/health') {
      const proof = healthProof(hashOfKey(apiKey), searchParams.get('nonce') ?? '', own());
      return void response.end(JSON.stringify({ ok: true, proof }));
    }
    asked.push(request);
    answer(request, response);
  });
  const own = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { url: own(), asked, close };
};
