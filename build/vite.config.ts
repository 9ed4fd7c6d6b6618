// The renderer's build; used by build/build.ts and build/dev.ts.
import { hash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Drops what the pages do not use: the summaries and access rules of routes, the columns and the command of fields. */
const lean: Plugin = {
  name: 'lean',
  enforce: 'pre',
  transform(code, id) {
    if (id.endsWith('/contract/limits/policy-fields.ts'))
      return code.replaceAll(/\b((column|tool):\s*'[^']*'|command:\s*\{[^}]*'[^}]*\}),/g, '');
    if (/\/contract\/[^/]+\/[^/]+\.ts$/.test(id))
      return code.replaceAll(/('[A-Z]+ \/v1[^']*'),\s*('[^']*'|`[^`]*`)/g, '$1');
    return null;
  },
};

/**
 * Moves the stylesheet below the page's frame, which is then drawn while the stylesheet and the scripts are on their way,
 * and above the root, whose own styles win.
 */
const unblocked: Plugin = {
  name: 'unblocked',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const links = html.match(/\s*<link rel="stylesheet"[^>]*>/g) ?? [];
      const without = links.reduce((text, link) => text.replace(link, ''), html);
      return without.replace('<div id="root">', `${links.join('').trim()}\n    <div id="root">`);
    },
  },
};

/**
 * Names the hash of every script and stylesheet in the page: a program that takes the treasury's port under an open page
 * cannot give it a script of its own for a screen that is not loaded yet, nor leave one in the browser's cache.
 */
const sealed: Plugin = {
  name: 'sealed',
  apply: 'build',
  writeBundle({ dir = '' }) {
    const page = join(dir, 'index.html');
    const names = readdirSync(join(dir, 'assets')).filter((name) => /\.(js|css)$/.test(name));
    const hashes = new Map(
      names.map((name) => [
        `./assets/${name}`,
        `sha256-${hash('sha256', readFileSync(join(dir, 'assets', name)), 'base64')}`,
      ]),
    );
    const integrity = Object.fromEntries([...hashes].filter(([name]) => name.endsWith('.js')));
    const map = `<script type="importmap">${JSON.stringify({ integrity })}</script>\n    `;
    const html = readFileSync(page, 'utf8')
      .replaceAll(/(src|href)="(\.\/assets\/[^"]+)"/g, (text, _, name: string) => {
        const known = hashes.get(name);
        return known === undefined ? text : `${text} integrity="${known}"`;
      })
      .replace('<script type="module"', `${map}<script type="module"`);
    writeFileSync(page, html);
  },
};

export default defineConfig({
  root: path('../renderer'),
  base: './',
  cacheDir: path('out/vite-cache'),
  plugins: [lean, unblocked, sealed, react()],
  build: {
    outDir: path('out/renderer'),
    emptyOutDir: true,
    // The page's policy allows no inline script, and Chromium needs no polyfill.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // One small file: a screen whose script is there is never without its styles.
    cssCodeSplit: false,
    // test/renderer/overview.test.ts limits the bundle's size, gzipped.
    chunkSizeWarningLimit: 2_000,
    target: 'chrome140',
    // The first screen fetches one file, which holds only what it needs; small modules that other screens share are smaller
    // in one file than in thirty.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 1 },
            { name: 'shared', test: /\/(renderer\/shared|server)\//, minShareCount: 3 },
          ],
        },
      },
    },
  },
  server: { port: 4403, strictPort: false, host: '127.0.0.1' },
});
