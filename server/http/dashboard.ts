// The built dashboard for a browser: its page, with a fresh nonce each time, and its assets. The desktop serves the
// same page under its own scheme.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type Router } from 'express';
import { routes } from '../contract/routes.ts';
import { createAssets } from './assets.ts';

const placeholder = '__NONCE__';

export const newNonce = (): string => randomBytes(16).toString('base64url');

/** The page with its nonce, which styles added at run time carry. */
export const pageOf = (html: string, nonce: string): string => html.replaceAll(placeholder, nonce);

/** @param connect where the page may send requests: `'self'` in a browser, `'none'` in the desktop */
export const contentSecurityPolicy = (nonce: string, connect: "'self'" | "'none'"): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    `connect-src ${connect}`,
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** @param folder build/out/renderer */
export const createDashboard = (folder: string): Router => {
  const router = express.Router({ caseSensitive: true, strict: true });
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  // The page of a link session is the same one; it reads its path.
  router.get(['/', '/link'], (_request, response) => {
    const nonce = newNonce();
    response.setHeader('Content-Security-Policy', contentSecurityPolicy(nonce, "'self'"));
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('X-Frame-Options', 'DENY');
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.type('html').send(pageOf(html, nonce));
  });
  router.use('/assets', createAssets(join(folder, 'assets')));
  router.get('/icon.svg', (_request, response) => response.sendFile(join(folder, 'icon.svg')));
  // A person who typed `/catalog` gets the catalog, and the page's own word for an address that it does not know.
  router.use(({ method, path, headers }, response, next) => {
    const isTyped = method === 'GET' && headers['sec-fetch-mode'] === 'navigate';
    if (isTyped && !publicPaths.some((one) => one.test(path))) response.redirect(302, `/#${path}`);
    else next();
  });
  return router;
};

/** Addresses whose JSON a browser may read. Every other route needs a credential, which no typed address brings. */
const publicPaths = Object.values(routes)
  .filter(({ method, access }) => method === 'GET' && access === 'public')
  .map(({ path }) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`));
