// Packs the paywall for sellers of paid APIs: a folder for `npm pack`, with one bundled file, its types, and a command.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('..', import.meta.url));

/** A native module cannot be bundled. */
const external = ['better-sqlite3'] as const;

/** The package.json. */
const manifest = {
  name: 'agent-treasury-paywall',
  version: packageJson.version,
  description:
    'Answer 402, check the payment on Solana, serve: a paywall in USDC that sells in receipts, x402 and MPP.',
  license: packageJson.license,
  type: 'module',
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
  types: './index.d.ts',
  bin: { 'agent-treasury-paywall': './customer.js' },
  files: ['index.js', 'customer.js', '*.d.ts', 'README.md', 'LICENSE', 'THIRD-PARTY.txt'],
  engines: { node: '>=22' },
  dependencies: Object.fromEntries(external.map((name) => [name, `^${packageJson.dependencies[name]}`])),
};

/** Replaces the folder and returns its path. @throws what Vite throws */
export const packPaywall = async (folder = join(root, 'build/out/paywall')): Promise<string> => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const modules = [
    ...(await bundle('server/paywall/module.ts', folder, 'index.js')),
    ...(await bundle('server/customer/main.ts', folder, 'customer.js')),
  ];
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  emitTypes(folder);
  copyFileSync(join(root, 'build/docs/paywall.md'), join(folder, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), licencesOf(modules));
  return folder;
};

/** Writes one file with all that the entry needs. Returns the paths of the modules in it. */
const bundle = async (entry: string, folder: string, name: string): Promise<string[]> => {
  const { build } = await import('vite');
  const built = await build({
    configFile: false,
    root,
    logLevel: 'warn',
    ssr: { target: 'node', noExternal: true, external: [...external] },
    build: {
      ssr: join(root, entry),
      outDir: folder,
      emptyOutDir: false,
      target: 'node22',
      minify: false,
      rolldownOptions: {
        external: [/^node:/, ...external],
        output: { format: 'es', entryFileNames: name, codeSplitting: false },
      },
    },
  });
  const chunks = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
  return chunks.flatMap((one) => ('moduleIds' in one ? one.moduleIds : []));
};

/** The compiler's declarations of the exports, and of the files that they lead to. @throws Error when it finds a fault */
const emitTypes = (folder: string): void => {
  const emitted = join(folder, 'types');
  const [tsc, project] = ['node_modules/typescript/bin/tsc', 'tsconfig.paywall.json'];
  execFileSync(process.execPath, [join(root, tsc), '-p', join(root, 'build', project), '--outDir', emitted]);
  const copy = (name: string, as = name): void => {
    const text = readFileSync(join(emitted, 'paywall', `${name}.d.ts`), 'utf8');
    const imported = /(?<= from '\.\/)([\w-]+)\.ts(?=';)/g;
    writeFileSync(join(folder, `${as}.d.ts`), text.replaceAll(imported, '$1.js'));
    for (const [, next = ''] of text.matchAll(imported)) copy(next);
  };
  copy('module', 'index');
  rmSync(emitted, { recursive: true });
};

/** The licences of all bundled packages. @throws Error for a package without one */
const licencesOf = (moduleIds: readonly string[]): string => {
  const inPackage = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/;
  const folders = new Set(moduleIds.flatMap((id) => inPackage.exec(id)?.[0] ?? []));
  const texts = [...folders].toSorted().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Named;
    const file = readdirSync(folder).find((one) => /^licen[cs]e(\.\w+)?$/i.test(one));
    if (file === undefined) throw new Error(`${name} brings no licence text`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return `index.js and customer.js hold code of these packages.\n\n${texts.join('\n\n')}`;
};

interface Named {
  name: string;
  version: string;
}

const isEntryPoint = import.meta.url === pathToFileURL(process.argv[1] ?? '').href;
if (isEntryPoint) process.stdout.write(`${await packPaywall()}\n`);
