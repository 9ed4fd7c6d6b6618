// The bridge bundled as the build does it: one file, everything inlined.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the file's path. */
export const bundleBridge = async (outDir: string): Promise<string> => {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    ssr: { target: 'node', noExternal: true },
    build: {
      ssr: join(root, 'server/mcp/main.ts'),
      outDir,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: {
        external: [/^node:/],
        output: { format: 'cjs', entryFileNames: 'bridge.cjs', codeSplitting: false },
      },
    },
  });
  return join(outDir, 'bridge.cjs');
};
