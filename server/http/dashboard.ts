// The built dashboard for a browser: its page, with a fresh nonce each time, and its assets. The desktop serves the
// same page under its own scheme.
import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type Router } from 'express';
import { routes } from '../contract/routes.ts';
import { AppError } from '../errors.ts';
import { createAssets } from './assets.ts';
import { doorOf } from './door.ts';
import type { PageTickets } from './page-tickets.ts';
import type { PublicAddress } from './public-address.ts';
import { isTyped } from './typed.ts';

const placeholder = '__NONCE__';
const ticketPlaceholder = '__TICKET__';

export const newNonce = (): string => randomBytes(16).toString('base64url');

/** The page with its nonce, which styles added at run time carry. @param ticket the page’s own; none in the desktop */
export const pageOf = (html: string, nonce: string, ticket = ''): string =>
  html.replaceAll(placeholder, nonce).replace(ticketPlaceholder, ticket);

/** @param connect where the page may send requests: `'self'` in a browser, `'none'` in the desktop */
export const contentSecurityPolicy = (html: string, nonce: string, connect: "'self'" | "'none'"): string =>
  [
    "default-src 'none'",
    `script-src 'self'${importMapOf(html)}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    `connect-src ${connect}`,
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The page's one inline script: the hashes that its scripts must have. */
const importMapOf = (html: string): string => {
  const [, map] = /<script type="importmap">([^<]*)<\/script>/.exec(html) ?? [];
  return map === undefined ? '' : ` 'sha256-${hash('sha256', map, 'base64')}'`;
};

interface DashboardDeps {
  /** build/out/renderer */
  folder: string;
  /** This host's own address. */
  url: string;
  ticketFor: PageTickets['issue'];
  admitsOwner: PublicAddress['admitsOwner'];
}

export const createDashboard = ({ folder, url, ticketFor, admitsOwner }: DashboardDeps): Router => {
  const router = express.Router({ caseSensitive: true, strict: true });
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  // The page of a link session is the same one; it reads its path.
  router.get(['/', '/link'], (request, response) => {
    // Another program may have `localhost` over IPv6, at the same port and thus at the same origin.
    if (request.headers.host?.startsWith('localhost') === true)
      return response.redirect(302, `${url}${request.originalUrl}`);
    const door = doorOf(response);
    // Machines are linked there all the same.
    if (request.path === '/' && !admitsOwner(door)) throw notAtThisAddress();
    const nonce = newNonce();
    response.setHeader('Content-Security-Policy', contentSecurityPolicy(html, nonce, "'self'"));
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('X-Frame-Options', 'DENY');
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.type('html').send(pageOf(html, nonce, ticketFor(request, door)));
  });
  router.use('/assets', createAssets(join(folder, 'assets')));
  router.get('/icon.svg', (_request, response) => {
    // A page shows it in three places.
    response.setHeader('Cache-Control', 'public, max-age=3600');
    response.sendFile(join(folder, 'icon.svg'));
  });
  // A person who typed `/catalog` gets the catalog, and the page's own word for an address that it does not know.
  router.use((request, response, next) => {
    const isRead = publicPaths.some((one) => one.test(request.path));
    if (isTyped(request) && !isRead) response.redirect(302, `/#${request.path}`);
    else next();
  });
  return router;
};

const notAtThisAddress = (): AppError =>
  new AppError(
    'not_found',
    'At its public address this treasury links machines and answers agents. Its owner can open the dashboard here too, in Settings, under Other machines.',
  );

/** Addresses whose JSON a browser may read. Every other route needs a credential, which no typed address brings. */
const publicPaths = Object.values(routes)
  .filter(({ method, access }) => method === 'GET' && access === 'public')
  .map(({ path }) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`));
