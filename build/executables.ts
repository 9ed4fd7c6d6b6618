// Makes a single file each of the command and the bridge: first a bundle for Node 20 and later, then an executable with
// Node inside (https://nodejs.org/api/single-executable-applications.html).
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle } from './npm-package.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'build/out/bin');
/** As a program of its own: what it takes, some 1.5 GB for both files, would stay with this process. */
const postject = createRequire(import.meta.url).resolve('postject/dist/cli.js');
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

/** @throws errors of Vite, and an Error with what Node or postject printed */
export const makeExecutables = async (): Promise<Executable[]> => {
  mkdirSync(out, { recursive: true });
  const made: Executable[] = [];
  for (const program of programs) made.push(await make(program));
  return made;
};

const make = async ({ name, entry }: Program): Promise<Executable> => {
  const bundled = await bundleProgram(entry, name, out);
  const file = join(out, process.platform === 'win32' ? `${name}.exe` : name);
  intoNode(bundled, file);
  return { name, bundle: bundled, file };
};

/** Bundles a program into one file for Node 20 and later. Returns its path. */
export const bundleProgram = async (entry: string, name: string, outDir: string): Promise<string> => {
  const file = `${name}.cjs`;
  await bundle({ node: 20, dependencies: [] }, { entry, file }, outDir, 'cjs');
  return join(outDir, file);
};

const intoNode = (bundled: string, file: string): void => {
  const config = `${bundled}.sea.json`;
  const blob = `${bundled}.blob`;
  writeFileSync(config, JSON.stringify({ main: bundled, output: blob, disableExperimentalSEAWarning: true }));
  run(process.execPath, ['--experimental-sea-config', config]);
  copyFileSync(process.execPath, file);
  chmodSync(file, 0o755);
  // Injecting invalidates the signature: macOS is signed again here, Windows with the installer.
  if (process.platform === 'darwin') run('codesign', ['--remove-signature', file]);
  run(process.execPath, [
    postject,
    file,
    'NODE_SEA_BLOB',
    blob,
    '--sentinel-fuse',
    sentinelFuse,
    ...(process.platform === 'darwin' ? ['--macho-segment-name', 'NODE_SEA'] : []),
  ]);
  if (process.platform === 'darwin') run('codesign', ['--sign', '-', file]);
};

const run = (command: string, args: readonly string[]): void => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? `${stdout}${stderr}`}`);
};

const isEntryPoint = import.meta.url === pathToFileURL(process.argv[1] ?? '').href;
if (isEntryPoint) for (const { file } of await makeExecutables()) process.stdout.write(`${file}\n`);
