// The dashboard's page and assets over HTTP: with a policy, compressed for browsers that accept it, and no other file. And the
// treasury's addresses as a person types them into a browser.
import { writeFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../../../server/http/server.ts';
import { createLog } from '../../../server/log.ts';
import { useFolders } from '../../harness/folders.ts';
import { openTreasury, type Treasury } from '../../harness/treasury.ts';
import { writePages } from './session-pages.ts';

const newFolder = useFolders();
const script = `export const text = '${'abc '.repeat(5_000)}';`;
let treasury: Treasury;
beforeAll(async () => {
  const folder = writePages(newFolder());
  writeFileSync(join(folder, 'secret.js'), 'not an asset');
  writeFileSync(join(folder, 'assets/main-1.js'), script);
  treasury = await openTreasury({ dashboard: folder });
});
afterAll(() => treasury.close());

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
}

const ask = (path: string, headers: Record<string, string> = {}, url = treasury.host.url): Promise<Answer> =>
  new Promise((resolve, reject) => {
    get(`${url}${path}`, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const body = Buffer.concat(parts);
        resolve({ status: response.statusCode, headers: response.headers, body, text: body.toString() });
      });
    }).on('error', reject);
  });

describe('the dashboard’s page', () => {
  it('comes with a policy that allows its own script and styles alone, and a fresh nonce each time', async () => {
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const { headers, text } = await ask('/');
        const policy = String(headers['content-security-policy']);
        const [, nonce = ''] = /'nonce-([\w-]{22})'/.exec(policy) ?? [];
        expect(text).toContain(`<meta name="csp-nonce" content="${nonce}" />`);
        expect(policy).toBe(
          `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
            `connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
        );
        expect(headers['cache-control']).toBe('no-store');
        return nonce;
      }),
    );
    expect(nonces[0]).not.toBe(nonces[1]);
  });
});

describe('an asset', () => {
  it('is sent compressed when the browser accepts it, with the same contents', async () => {
    for (let time = 0; time < 2; time += 1) {
      const { status, headers, body } = await ask('/assets/main-1.js', { 'accept-encoding': 'gzip, br' });
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-encoding': 'gzip',
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
        'x-content-type-options': 'nosniff',
      });
      expect(body.length).toBeLessThan(1_000);
      expect(gunzipSync(body).toString()).toBe(script);
    }
  });

  it('is sent uncompressed to others, and marked as depending on Accept-Encoding', async () => {
    for (const encoding of [{}, { 'accept-encoding': 'identity' }, { 'accept-encoding': 'gzip;q=0' }]) {
      const { headers, text } = await ask('/assets/main-1.js', { ...encoding });
      expect([headers['content-encoding'], headers['vary']]).toEqual([undefined, 'Accept-Encoding']);
      expect(text).toBe(script);
    }
    expect((await ask('/icon.svg')).headers['content-type']).toContain('image/svg+xml');
  });

  it.each([
    '/assets/none.js',
    '/assets/../secret.js',
    '/assets/%2e%2e/secret.js',
    '/assets/..%2fsecret.js',
    '/assets/%2e%2e/index.html',
    '/assets/%2fetc%2fpasswd',
    '/assets/.hidden',
    '/assets/',
    '/index.html',
    '/favicon.ico',
  ])('is never another file of the machine: %s', async (path) => {
    const { status, text } = await ask(path, { 'accept-encoding': 'gzip' });
    // Without a credential, no other address says whether it exists.
    expect([401, 404]).toContain(status);
    expect(text).not.toContain('not an asset');
  });
});

const typed = { 'sec-fetch-mode': 'navigate', accept: 'text/html,*/*' };
/** One that sends no `Sec-Fetch-Mode`. */
const byOlder = { accept: 'text/html,application/xhtml+xml' };

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
      const { status, headers: sent } = await ask(path, headers);
      expect(status).toBe(302);
      const { origin, hash } = new URL(sent.location ?? '', treasury.host.url);
      expect([origin, hash]).toEqual([treasury.host.url, `#${path}`]);
    }
  });

  it.each(['/', '/link', '/v1/health', '/v1/openapi.json', '/v1/models'])(
    'is answered where there is something to read: %s',
    async (path) => expect((await ask(path, typed)).status).toBe(200),
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
        const { status, text } = await ask(path, headers);
        expect([status, JSON.parse(text).code]).toEqual([401, 'unauthorized']);
      }
  });

  it('leads from localhost to the address that nobody else can have', async () => {
    const { port } = new URL(treasury.host.url);
    const byName = { ...typed, host: `localhost:${port}` };
    for (const path of ['/', '/link?token=x']) {
      const { status, headers } = await ask(path, byName);
      expect([status, headers.location]).toEqual([302, `${treasury.host.url}${path}`]);
    }
  });

  it('shows a page that helps where no dashboard is served', async () => {
    const bare = await openTreasury();
    for (const path of ['/', '/catalog', '/v1/agents']) {
      const { status, headers, text } = await ask(path, typed, bare.host.url);
      expect([status, headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
      expect(text).toContain('There is no page here');
      expect(text).toContain(path === '/' ? 'npm start' : 'Go to the dashboard');
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    }
    await bare.close();
  });

  it('shows a page that asks again while the treasury starts, with words as text', async () => {
    const http = await listen({ port: 0, publicUrl: () => null, log: createLog('silent') });
    const { status, text } = await ask('/<script>', typed, http.url);
    expect(status).toBe(503);
    expect(text).toContain('The treasury is starting');
    expect(text).toContain('http-equiv="refresh"');
    const { text: json } = await ask('/', { accept: '*/*' }, http.url);
    expect(JSON.parse(json).code).toBe('halted');
    http.mount([]);
    const unknown = await ask('/"<script>alert(1)</script>', typed, http.url);
    expect(unknown.status).toBe(404);
    expect(unknown.text).not.toContain('<script>');
    await http.close();
  });
});
