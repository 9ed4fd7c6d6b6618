// Packs a part of the product as an npm package of its own: a folder for `npm pack`, with one bundled file and its types.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import { loadVite } from './build.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

type Dependency = keyof typeof packageJson.dependencies;

export interface NpmPackage {
  name: string;
  description: string;
  /** The oldest version of Node that runs it. */
  node: number;
  /** The file whose exports are those of the package. */
  entry: string;
  /** The page that becomes its README. */
  page: string;
  /** Further files of types, by name: each is written when the package is packed, and imported as NAME/FILE. */
  types: Readonly<Record<string, (file: string) => Promise<void>>>;
  /** Its programs by the names of their commands: the bundled file, and the file that it is made of. */
  commands?: Readonly<Record<string, { file: string; entry: string }>>;
  /** Packages that cannot be bundled. */
  dependencies: readonly Dependency[];
}

const manifestOf = ({ name, description, node, types, commands = {}, dependencies }: NpmPackage) => ({
  name,
  version: packageJson.version,
  description,
  license: packageJson.license,
  type: 'module',
  exports: {
    '.': { types: './index.d.ts', default: './index.js' },
    ...Object.fromEntries(Object.keys(types).map((one) => [`./${one}`, { types: `./${one}.d.ts` }])),
  },
  types: './index.d.ts',
  ...(Object.keys(commands).length === 0
    ? {}
    : { bin: Object.fromEntries(Object.entries(commands).map(([one, { file }]) => [one, `./${file}`])) }),
  files: [
    'index.js',
    ...Object.values(commands).map(({ file }) => file),
    '*.d.ts',
    'README.md',
    'LICENSE',
    'THIRD-PARTY.txt',
  ],
  engines: { node: `>=${node}` },
  dependencies: Object.fromEntries(dependencies.map((one) => [one, `^${packageJson.dependencies[one]}`])),
});

/** Replaces the folder and returns its path. @throws what Vite throws */
export const packNpm = async (it: NpmPackage, folder: string): Promise<string> => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = [{ entry: it.entry, file: 'index.js' }, ...Object.values(it.commands ?? {})];
  const modules: string[] = [];
  for (const one of files) modules.push(...(await bundle(it, one, folder)));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifestOf(it), null, 2)}\n`);
  emitTypes(it.entry, folder);
  for (const [name, write] of Object.entries(it.types)) await write(join(folder, `${name}.d.ts`));
  copyFileSync(join(root, it.page), join(folder, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const licenses = licencesOf(modules);
  if (licenses !== null) writeFileSync(join(folder, 'THIRD-PARTY.txt'), licenses);
  return folder;
};

/** Writes one file with all that the entry needs. Returns the paths of the modules in it. */
export const bundle = async (
  { node, dependencies }: Pick<NpmPackage, 'node' | 'dependencies'>,
  { entry, file }: { entry: string; file: string },
  folder: string,
  format: 'es' | 'cjs' = 'es',
): Promise<string[]> => {
  const { build } = await loadVite();
  const built = await build({
    configFile: false,
    root,
    logLevel: 'warn',
    ssr: { target: 'node', noExternal: true, external: [...dependencies] },
    build: {
      ssr: join(root, entry),
      outDir: folder,
      emptyOutDir: false,
      target: `node${node}`,
      minify: false,
      rolldownOptions: {
        external: [/^node:/, ...dependencies],
        output: { format, entryFileNames: file, codeSplitting: false },
      },
    },
  });
  const chunks = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
  return chunks.flatMap((one) => ('moduleIds' in one ? one.moduleIds : []));
};

/** All declarations come to lie side by side. */
const flat = (path: string): string => `./${basename(path)}.js`;

/** The compiler's declarations of the exports, and of the files that they lead to. @throws Error when it finds a fault */
const emitTypes = (entry: string, folder: string): void => {
  const emitted = join(folder, 'types');
  mkdirSync(emitted);
  const project = join(emitted, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: join(root, 'server'),
    outDir: emitted,
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const extending = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions,
    include: [],
    files: [join(root, entry)],
  };
  writeFileSync(project, JSON.stringify(extending));
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project]);
  const copied = new Set<string>();
  const copy = (file: string, as: string): void => {
    if (copied.has(as)) throw new Error(`two files are named ${as}`);
    copied.add(as);
    const text = readFileSync(file, 'utf8');
    const imported = /(?<= from '|import\(")(\.{1,2}\/[\w./-]+)\.ts(?='|")/g;
    writeFileSync(
      join(folder, `${as}.d.ts`),
      text.replaceAll(imported, (_, path: string) => flat(path)),
    );
    for (const [, next = ''] of text.matchAll(imported))
      if (!copied.has(basename(next))) copy(join(dirname(file), `${next}.d.ts`), basename(next));
  };
  copy(join(emitted, entry.replace(/^server\//, '').replace(/\.ts$/, '.d.ts')), 'index');
  rmSync(emitted, { recursive: true });
};

/** The licenses of all bundled packages; null when there are none. @throws Error for a package without one */
const licencesOf = (moduleIds: readonly string[]): string | null => {
  const inPackage = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/;
  const folders = new Set(moduleIds.flatMap((id) => inPackage.exec(id)?.[0] ?? []));
  if (folders.size === 0) return null;
  const texts = [...folders].toSorted().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Named;
    const file = readdirSync(folder).find((one) => /^licen[cs]e(\.\w+)?$/i.test(one));
    if (file === undefined) throw new Error(`${name} brings no license text`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return `The programs here hold code of these packages.\n\n${texts.join('\n\n')}`;
};

interface Named {
  name: string;
  version: string;
}

/** Packs it when the script is started by its name. */
export const packWhenStarted = async (script: string, pack: () => Promise<string>): Promise<void> => {
  if (script === pathToFileURL(process.argv[1] ?? '').href) process.stdout.write(`${await pack()}\n`);
};

/** The folder of a package that nobody named another for. */
export const packedFolder = (name: string): string => join(root, 'build/out', name);
