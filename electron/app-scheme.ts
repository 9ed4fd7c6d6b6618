// app://treasury, the page's own origin. It serves the dashboard's built files and nothing else on the disk.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { CustomScheme, Protocol } from 'electron';
import { contentSecurityPolicy, newNonce, pageOf } from '../server/http/dashboard.ts';

export const pageOrigin = 'app://treasury';

/** For `registerSchemesAsPrivileged`, which must be called before the application is ready. */
export const appScheme: CustomScheme = {
  scheme: 'app',
  privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

const headers = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** Maps URL paths to built files, so that no path from a request ever reaches the file system. */
const filesBelow = (folder: string): ReadonlyMap<string, string> => {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((it) => it.isFile());
  return new Map(
    entries
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((file) => extname(file) in types)
      .map((file) => [`/${relative(folder, file).split(sep).join('/')}`, file]),
  );
};

export const createPageHandler = (folder: string): ((request: Request) => Promise<Response>) => {
  const files = filesBelow(folder);
  return async ({ method, url }) => {
    const { protocol, host, pathname } = new URL(url);
    const path = pathname === '/' ? '/index.html' : pathname;
    const file = files.get(path);
    if (method !== 'GET' || `${protocol}//${host}` !== pageOrigin || file === undefined) {
      return new Response(null, { status: 404 });
    }
    const nonce = newNonce();
    const bytes = await readFile(file);
    const html = path === '/index.html' ? bytes.toString('utf8') : '';
    return new Response(html === '' ? bytes : pageOf(html, nonce), {
      headers: {
        ...headers,
        'Content-Type': types[extname(file)] ?? 'application/octet-stream',
        'Content-Security-Policy': contentSecurityPolicy(html, nonce, "'none'"),
      },
    });
  };
};

export const servePage = (protocol: Pick<Protocol, 'handle'>, folder: string): void =>
  protocol.handle(appScheme.scheme, createPageHandler(folder));
