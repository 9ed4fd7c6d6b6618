// Makes a single file each of the command and the bridge: first a bundle for Node 20 and later, then an executable with
// Node inside (https://nodejs.org/api/single-executable-applications.html).
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inject } from 'postject';
import { bundle } from './npm-package.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'build/out/bin');
/** The marker by which Node finds the injected blob. */
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

interface Program {
  name: string;
  entry: string;
}
const programs: readonly Program[] = [
  { name: 'treasury', entry: 'server/cli/main.ts' },
  { name: 'treasury-mcp', entry: 'server/mcp/main.ts' },
];

interface Executable {
  name: string;
  /** Runs on Node 20 and later. */
  bundle: string;
  /** Needs no Node. */
  file: string;
}

/** @throws errors of Vite, Node or postject */
export const makeExecutables = async (): Promise<Executable[]> => {
  mkdirSync(out, { recursive: true });
  const made: Executable[] = [];
  for (const program of programs) made.push(await make(program));
  return made;
};

const make = async ({ name, entry }: Program): Promise<Executable> => {
  const bundled = await bundleProgram(entry, name, out);
  const file = join(out, process.platform === 'win32' ? `${name}.exe` : name);
  await intoNode(bundled, file);
  return { name, bundle: bundled, file };
};

/** Bundles a program into one file for Node 20 and later. Returns its path. */
export const bundleProgram = async (entry: string, name: string, outDir: string): Promise<string> => {
  const file = `${name}.cjs`;
  await bundle({ node: 20, dependencies: [] }, { entry, file }, outDir, 'cjs');
  return join(outDir, file);
};

const intoNode = async (bundled: string, file: string): Promise<void> => {
  const config = `${bundled}.sea.json`;
  const blob = `${bundled}.blob`;
  writeFileSync(config, JSON.stringify({ main: bundled, output: blob, disableExperimentalSEAWarning: true }));
  run(process.execPath, ['--experimental-sea-config', config]);
  copyFileSync(process.execPath, file);
  chmodSync(file, 0o755);
  // Injecting invalidates the signature: macOS is signed again here, Windows with the installer.
  if (process.platform === 'darwin') run('codesign', ['--remove-signature', file]);
  await inject(file, 'NODE_SEA_BLOB', readFileSync(blob), {
    sentinelFuse,
    ...(process.platform === 'darwin' ? { machoSegmentName: 'NODE_SEA' } : {}),
  });
  if (process.platform === 'darwin') run('codesign', ['--sign', '-', file]);
};

const run = (command: string, args: readonly string[]): void => {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
};

const isEntryPoint = import.meta.url === pathToFileURL(process.argv[1] ?? '').href;
if (isEntryPoint) for (const { file } of await makeExecutables()) process.stdout.write(`${file}\n`);
