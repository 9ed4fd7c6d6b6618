// What the renderer is built with; build/build.ts and build/dev.ts use it.
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** OpenAPI tells what each route is for and the server checks its caller; the pages need neither. */
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
    // The page's policy admits no inline script, and Chromium needs no polyfill for what it has.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The bundle's size is held by test/renderer/bundle.test.ts, gzipped.
    chunkSizeWarningLimit: 2_000,
    target: 'chrome140',
  },
  server: { port: 4403, strictPort: false, host: '127.0.0.1' },
});
