// The renderer's build; used by build/build.ts and build/dev.ts.
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Drops summaries and access rules from the routes: OpenAPI and the server use them, the pages do not. */
const leanRoutes: Plugin = {
  name: 'lean-routes',
  enforce: 'pre',
  transform: (code, id) =>
    /\/contract\/[\w-]*routes\.ts$/.test(id) ? code.replaceAll(/\b(summary|access):\s*'[^']*',/g, '') : null,
};

export default defineConfig({
  root: path('../renderer'),
  base: './',
  cacheDir: path('out/vite-cache'),
  plugins: [leanRoutes, react()],
  build: {
    outDir: path('out/renderer'),
    emptyOutDir: true,
    // The page's policy allows no inline script, and Chromium needs no polyfill.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // test/renderer/bundle.test.ts limits the bundle's size, gzipped.
    chunkSizeWarningLimit: 2_000,
    target: 'chrome140',
  },
  server: { port: 4403, strictPort: false, host: '127.0.0.1' },
});
