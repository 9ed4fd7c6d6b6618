// Loaded before every entry point.
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

// Older versions of Node do not run TypeScript as it is, and better-sqlite3 13 crashes on them.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `Agent Treasury needs Node 22.18 or newer and this is ${process.versions.node}. ` +
      'Run it through npm (`npm start`), which uses the Node 24 that `npm ci` installs; ' +
      'if it says so there too, run `npm ci` again without --ignore-scripts.\n',
  );
  process.exit(1);
}

// The next start loads compiled modules from this cache: half the time, and 40 MB less memory.
nodeModule.enableCompileCache(fileURLToPath(new URL('out/compile-cache', import.meta.url)));

// spl-token's bigint-buffer warns without its native code, which we do not build because of CVE-2025-3194.
const { warn } = console;
console.warn = (...message) => {
  if (!String(message[0]).startsWith('bigint: Failed to load bindings')) warn(...message);
};
