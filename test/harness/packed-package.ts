// A package of ours as its user has it: packed by npm, and installed by npm in an empty folder outside the repository,
// without a network, with the dependencies of its package.json alone.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { removeFolder, temporaryFolder } from './treasury.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Project {
  folder: string;
  /** The folder of the installed package. */
  installed: string;
  /** Names of all packages that npm installed. */
  packages: readonly string[];
  /** Puts a package beside it, as if the seller had it already: ours, or the one at `from`. */
  link(name: string, from?: string): void;
  /** Runs a program of this project; resolves with the first line that it prints. */
  start(name: string, source: string, env: Record<string, string>): Promise<Running>;
  remove(): void;
}

export interface Running {
  line: string;
  child: ChildProcess;
}

export const installPacked = async (
  packageName: string,
  pack: (folder: string) => Promise<string>,
): Promise<Project> => {
  const place = temporaryFolder();
  const packed = await pack(join(place, 'package'));
  const folder = join(place, 'project');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"name":"a-user","private":true,"type":"module"}');
  await npm(folder, 'pack', '--pack-destination', place, packed, ...dependenciesOf(packed));
  const tarballs = readdirSync(place).filter((name) => name.endsWith('.tgz'));
  await npm(folder, 'install', ...tarballs.map((name) => join(place, name)));
  const modules = join(folder, 'node_modules');
  const packages = readdirSync(modules).filter((name) => !name.startsWith('.'));
  const started: ChildProcess[] = [];

  return {
    folder,
    installed: join(modules, packageName),
    packages,
    link(name, from = join(root, 'node_modules', name)) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(from, join(modules, name), 'dir');
    },
    async start(name, source, env) {
      const script = join(folder, name);
      writeFileSync(script, source);
      const child = spawn(process.execPath, [script], {
        cwd: folder,
        env: { PATH: process.env['PATH'], ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      started.push(child);
      const ready = once(createInterface(child.stdout), 'line');
      const [line] = (await Promise.race([ready, once(child, 'exit')])) as unknown[];
      if (typeof line !== 'string') throw new Error(`${name} ended`);
      return { line, child };
    },
    remove() {
      for (const child of started) child.kill('SIGKILL');
      removeFolder(place);
    },
  };
};

const npm = (cwd: string, command: string, ...args: string[]): Promise<unknown> =>
  promisify(execFile)('npm', [command, '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...args], {
    cwd,
  });

/** The folders of a package's dependencies, and of theirs. */
const dependenciesOf = (folder: string, known = new Set<string>()): string[] => {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const found = join(root, 'node_modules', name);
    if (known.has(found)) continue;
    known.add(found);
    dependenciesOf(found, known);
  }
  return [...known];
};
