// The dashboard's assets over HTTP: compressed for browsers that accept it, plain for others, and no other file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTreasury, removeFolder, temporaryFolder, type Treasury } from '../harness/treasury.ts';

const script = `export const text = '${'abc '.repeat(5_000)}';`;
let folder: string;
let treasury: Treasury;
beforeAll(async () => {
  folder = temporaryFolder();
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><style nonce="__NONCE__"></style>');
  writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, 'secret.js'), 'not an asset');
  writeFileSync(join(folder, 'assets/main-1.js'), script);
  writeFileSync(join(folder, 'assets/main-1.css'), 'body {}');
  treasury = await openTreasury({ dashboard: folder });
});
afterAll(async () => {
  await treasury.close();
  removeFolder(folder);
});

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: Buffer;
}

const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = request(`${treasury.host.url}${path}`, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    asked.on('error', reject).end();
  });

describe('an asset', () => {
  it('is sent compressed when the browser accepts it, with the same contents', async () => {
    for (let time = 0; time < 2; time += 1) {
      const { status, headers, body } = await get('/assets/main-1.js', { 'accept-encoding': 'gzip, br' });
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
      const { headers, body } = await get('/assets/main-1.js', { ...encoding });
      expect([headers['content-encoding'], headers['vary']]).toEqual([undefined, 'Accept-Encoding']);
      expect(body.toString()).toBe(script);
    }
  });

  it('is never a file outside the assets', async () => {
    for (const path of [
      '/assets/none.js',
      '/assets/../secret.js',
      '/assets/%2e%2e/secret.js',
      '/assets/..%2fsecret.js',
    ]) {
      const { status, body } = await get(path, { 'accept-encoding': 'gzip' });
      // Without a credential, no other address says whether it exists.
      expect([path, [401, 404].includes(status), body.toString().includes('not an asset')]).toEqual([
        path,
        true,
        false,
      ]);
    }
  });
});
