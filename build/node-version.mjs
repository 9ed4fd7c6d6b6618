// Loaded before every entry point: TypeScript is run as it is, and better-sqlite3 13 crashes on older versions.
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `Agent Treasury needs Node 22.18 or newer and this is ${process.versions.node}. ` +
      'Run it through npm (`npm start`), which uses the Node 24 that `npm ci` installs; ' +
      'if it says so there too, run `npm ci` again without --ignore-scripts.\n',
  );
  process.exit(1);
}

// A second start finds the stripped and compiled modules: half the time, and 40 MB less memory.
nodeModule.enableCompileCache(fileURLToPath(new URL('out/compile-cache', import.meta.url)));
