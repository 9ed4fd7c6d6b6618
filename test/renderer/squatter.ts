// A program of the same user that takes the treasury's port, with the page's own origin. It keeps all that it is sent.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { until } from '../harness/treasury.ts';

export interface Sent {
  method: string;
  url: string;
  /** The whole request: line, headers and body. */
  text: string;
}

export interface Squatter {
  sent: Sent[];
  close(): Promise<void>;
}

export type Answers = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** Answers everything with 200 and JSON. */
export const saysYes: Answers = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"ok":true,"proof":"00"}');
};

export const squat = async (port: number, answers: Answers = saysYes): Promise<Squatter> => {
  const sent: Sent[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      const { method = '', url = '', rawHeaders } = request;
      sent.push({ method, url, text: [`${method} ${url}`, ...rawHeaders, body].join('\n') });
      answers(request, response, body);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return {
    sent,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

export const portOf = (url: string): number => Number(new URL(url).port);

/** The session that a tab keeps. */
export const keptIn = (page: Page): Promise<string> =>
  page.evaluate(`String(JSON.parse(sessionStorage.getItem('treasury-session') ?? '{}').session)`);

/** Waits until the page has fetched its other screens: without the host it can then still say that it is signed out. */
export const isWhole = (page: Page): Promise<unknown> =>
  until('the code of all screens', () =>
    page.evaluate<boolean>(
      `performance.getEntriesByType('resource').some(({ name }) => name.includes('/NotFound-'))`,
    ),
  );

/** @param secrets all that the browser keeps and must not send */
export const expectNothingOf = ({ secrets }: { secrets: readonly string[] }, { sent }: Squatter): void => {
  for (const { text } of sent) {
    expect(text).not.toMatch(/authorization|cookie|bearer|own_|knw_/i);
    for (const secret of secrets) expect(text).not.toContain(secret);
  }
};

export const noncesOf = ({ sent }: Squatter): string[] =>
  sent
    .filter(({ url }) => url.startsWith('/v1/health?'))
    .map(({ url }) => new URL(url, 'http://x').searchParams.get('nonce') ?? '');
