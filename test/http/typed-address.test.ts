// The treasury's addresses as a person types them into a browser.
import { get, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../server/log.ts';
import { listen } from '../../server/http/server.ts';
import { openServed } from '../harness/browser.ts';
import { openTreasury, type Treasury } from '../harness/treasury.ts';

let treasury: Treasury;
beforeAll(async () => {
  treasury = await openServed();
});
afterAll(() => treasury.close());

interface Typed {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  text: string;
}

const ask = (url: string, headers: Record<string, string>): Promise<Typed> =>
  new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    }).on('error', reject);
  });

const typed = { 'sec-fetch-mode': 'navigate', accept: 'text/html,*/*' };
/** One that sends no `Sec-Fetch-Mode`. */
const byOlder = { accept: 'text/html,application/xhtml+xml' };
const at = (path: string): string => `${treasury.host.url}${path}`;

describe('an address typed into a browser', () => {
  it.each([
    '/catalog',
    '/agents/scout',
    '/nonsense',
    '/v1/agents',
    '/v1/nothing',
    '/v1/agents/x/payments/y',
    '//evil.example',
  ])('leads to the dashboard: %s', async (path) => {
    for (const headers of [typed, byOlder]) {
      const { status, headers: sent } = await ask(at(path), headers);
      expect(status).toBe(302);
      const { origin, hash } = new URL(sent.location ?? '', treasury.host.url);
      expect([origin, hash]).toEqual([treasury.host.url, `#${path}`]);
    }
  });

  it.each(['/', '/link', '/v1/health', '/v1/openapi.json', '/v1/models'])(
    'is answered where there is something to read: %s',
    async (path) => expect((await ask(at(path), typed)).status).toBe(200),
  );

  it('is answered as before to a program, whatever it accepts', async () => {
    for (const headers of [
      { 'sec-fetch-mode': 'cors', accept: 'text/html' },
      { accept: '*/*' },
      { accept: 'application/json' },
      { ...byOlder, authorization: 'Bearer atk_x' },
      { ...typed, authorization: 'Bearer atk_x' },
    ])
      for (const path of ['/catalog', '/v1/agents', '/v1/nothing']) {
        const { status, text } = await ask(at(path), headers);
        expect([status, JSON.parse(text).code]).toEqual([401, 'unauthorized']);
      }
  });

  it('leads from localhost to the address that nobody else can have', async () => {
    const { port } = new URL(treasury.host.url);
    const byName = { ...typed, host: `localhost:${port}` };
    for (const path of ['/', '/link?token=x']) {
      const { status, headers } = await ask(at(path), byName);
      expect([status, headers.location]).toEqual([302, `${treasury.host.url}${path}`]);
    }
  });

  it('shows a page that helps where no dashboard is served', async () => {
    const bare = await openTreasury();
    for (const path of ['/', '/catalog', '/v1/agents']) {
      const { status, headers, text } = await ask(`${bare.host.url}${path}`, typed);
      expect([status, headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
      expect(text).toContain('There is no page here');
      expect(text).toContain(path === '/' ? 'npm start' : 'Go to the dashboard');
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    }
    await bare.close();
  });

  it('shows a page that asks again while the treasury starts, with words as text', async () => {
    const http = await listen({ port: 0, publicUrl: () => null, log: createLog('silent') });
    const { status, text } = await ask(`${http.url}/<script>`, typed);
    expect(status).toBe(503);
    expect(text).toContain('The treasury is starting');
    expect(text).toContain('http-equiv="refresh"');
    const { text: json } = await ask(`${http.url}/`, { accept: '*/*' });
    expect(JSON.parse(json).code).toBe('halted');
    http.mount([]);
    const unknown = await ask(`${http.url}/"<script>alert(1)</script>`, typed);
    expect(unknown.status).toBe(404);
    expect(unknown.text).not.toContain('<script>');
    await http.close();
  });
});
