// The layout of build/docs/architecture.md: the rooms, their imports, and the size of a file.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('..', import.meta.url).pathname;

const filesBelow = (folder: string): string[] => {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
};
const sources = ['server', 'electron', 'renderer'].flatMap(filesBelow);
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Import {
  from: string;
  /** Path from the top level, or a package's name. */
  to: string;
  typeOnly: boolean;
}

const statement =
  /^(?:import|export)\s+(?:(type\s)\s*)?((?:\{[^}]*\}|[\w$*,\s]|\{[^}]*\}\s*)*?)(?:\s*from\s*)?['"]([^'"]+)['"]/gm;
const dynamic = /\bimport\(\s*['"]([^'"]+)['"]\s*\)|new URL\(\s*['"](\.[^'"]+\.ts)['"]/g;

const importsOf = (from: string, text = read(from)): Import[] => {
  const resolve = (to: string): string => (to.startsWith('.') ? normalize(join(dirname(from), to)) : to);
  const named = [...text.matchAll(statement)].map(([, type, names = '', to = '']) => {
    const inBraces = /^\s*\{([^}]*)\}\s*$/
      .exec(names)?.[1]
      ?.split(',')
      .map((name) => name.trim())
      .filter(Boolean);
    const typeOnly = type !== undefined || (inBraces?.every((name) => name.startsWith('type ')) ?? false);
    return { from, to: resolve(to), typeOnly };
  });
  const others = [...text.matchAll(dynamic)].flatMap(([, module]) =>
    module === undefined ? [] : [{ from, to: resolve(module), typeOnly: false }],
  );
  return [...named, ...others];
};
const imports = sources.flatMap((path) => importsOf(path));

const inside = (path: string, ...parts: string[]): boolean =>
  parts.some((part) => (part.endsWith('/') ? path.startsWith(part) : path === part));

const rowOne = ['money', 'errors', 'log', 'config']
  .map((name) => `server/${name}.ts`)
  .concat('server/contract/', 'server/lib/');
/** The contract without its schemas: zod is large, and the renderer and the bridge do without it. */
const plainContract = sources.filter(
  (path) =>
    path.startsWith('server/contract/') &&
    !path.endsWith('.schemas.ts') &&
    ![
      'exchange',
      'field-errors',
      'fields',
      'schemas',
      'owner-api',
      'host/health-proof',
      'sign-in/pairing-code',
    ].some((name) => path === `server/contract/${name}.ts`),
);
const ports = 'server/engine/ports.ts';
/** Pure rules about transfers: the store keeps sums by them. */
const domain = 'server/engine/domain/';
const isPackage = (to: string): boolean => !/^(server|electron|renderer|build|test)\//.test(to);

interface Row {
  part: readonly string[];
  values: readonly string[];
  types?: readonly string[];
  /** Packages that this part must not use. */
  without?: RegExp;
}

const notForHost = ['server/mcp/', 'server/cli/'];
const serverParts = readdirSync(join(root, 'server')).map((name) =>
  name.endsWith('.ts') ? `server/${name}` : `server/${name}/`,
);

const network = /^(node:)?(https?|net|http2|tls|dgram)$|^(express|ws|undici)$/;
const table: Record<string, Row> = {
  'money, errors, log, config, the contract and lib': { part: rowOne, values: rowOne },
  lib: { part: ['server/lib/'], values: ['server/lib/', 'server/errors.ts', 'server/money.ts'] },
  engine: {
    part: ['server/engine/'],
    values: ['server/engine/', ...rowOne],
    without: /^(express|ws|electron|better-sqlite3|(node:)?(https?|net|sqlite))$/,
  },
  store: {
    part: ['server/store/'],
    values: ['server/store/', domain, ...rowOne],
    types: [ports],
    without: network,
  },
  solana: { part: ['server/solana/'], values: ['server/solana/', ...rowOne], types: [ports] },
  vault: { part: ['server/vault/'], values: ['server/vault/', ...rowOne], types: [ports], without: network },
  providers: { part: ['server/providers/'], values: ['server/providers/', ...rowOne], types: [ports] },
  signin: { part: ['server/signin/'], values: ['server/signin/', ...rowOne], types: [ports] },
  x402: { part: ['server/x402/'], values: ['server/x402/', ...rowOne], types: [ports] },
  paywall: { part: ['server/paywall/'], values: ['server/paywall/', ...rowOne] },
  gate: { part: ['server/gate/'], values: ['server/gate/', 'server/paywall/', ...rowOne] },
  customer: {
    part: ['server/customer/'],
    values: ['server/customer/', 'server/gate/', 'server/paywall/', 'server/x402/dialects/', ...rowOne],
    types: [ports],
  },
  sandbox: { part: ['server/sandbox/'], values: ['server/sandbox/', 'server/paywall/', ...rowOne] },
  catalog: {
    part: ['server/catalog/'],
    values: ['server/catalog/', 'server/engine/', ...rowOne],
    types: ['server/x402/', 'server/providers/', 'server/vault/vault.ts'],
  },
  backup: {
    part: ['server/backup/'],
    values: ['server/backup/', 'server/engine/', 'server/store/', 'server/vault/', ...rowOne],
  },
  books: {
    part: ['server/books/'],
    values: ['server/books/', 'server/engine/', ...rowOne],
    without: network,
  },
  'the verifier, which runs without the rest': {
    part: ['server/books/verify/'],
    values: [
      'server/books/verify/',
      'server/books/merkle.ts',
      'server/lib/solana/solana-message.ts',
      'server/errors.ts',
    ],
    without: /^(?!node:)/,
  },
  notices: {
    part: ['server/notices/'],
    values: ['server/notices/', 'server/engine/', ...rowOne],
    types: [ports],
    without: network,
  },
  http: { part: ['server/http/'], values: ['server/http/', ...rowOne], types: [ports] },
  host: { part: ['server/host/'], values: serverParts.filter((part) => !notForHost.includes(part)) },
  main: { part: ['server/main.ts'], values: ['server/host/run.ts', 'build/preload.mjs'] },
  client: { part: ['server/client/'], values: ['server/client/', ...rowOne] },
  mcp: { part: ['server/mcp/'], values: ['server/mcp/', 'server/client/', ...rowOne] },
  cli: {
    part: ['server/cli/'],
    values: ['server/cli/', 'server/mcp/', 'server/client/', 'server/books/verify/', ...rowOne],
  },
  electron: { part: ['electron/'], values: ['electron/', 'server/', 'build/preload.mjs'] },
  renderer: {
    part: ['renderer/'],
    values: ['renderer/', 'server/money.ts', 'server/errors.ts', ...plainContract],
    types: ['server/contract/', 'electron/ipc/ipc.ts'],
    without: /^(node:|electron$|zod$)/,
  },
};

/** The floors of the engine: each may use those below it. Purchases, pictures and models share a floor, and not each other. */
const floors = [
  ['domain'],
  ['limits'],
  ['watch'],
  ['notices'],
  ['payment'],
  ['records'],
  ['calls'],
  ['purchase', 'pictures', 'models'],
  ['api'],
];
const engineFolders = floors.map((names) => names.map((name) => `server/engine/${name}/`));
engineFolders.forEach((folders, at) => {
  for (const folder of folders)
    table[folder] = {
      part: [folder],
      values: [folder, ...engineFolders.slice(0, at).flat(), ...rowOne],
      types: [ports],
    };
});

const breaks = (
  { part, values, types = [], without = /^$/ }: Row,
  from: readonly Import[] = imports,
): string[] =>
  from
    .filter((one) => inside(one.from, ...part))
    .filter(({ to, typeOnly }) =>
      isPackage(to) ? without.test(to) : !inside(to, ...values) && !(typeOnly && inside(to, ...types)),
    )
    .map(({ from: file, to, typeOnly }) => `${file} imports ${typeOnly ? 'types of ' : ''}${to}`);

const broken = (from: string, to: string, typeOnly = false): string[] =>
  Object.values(table).flatMap((row) => breaks(row, [{ from, to, typeOnly }]));

const next = (file: string): string[] =>
  imports.filter(({ from, to }) => from === file && inside(to, ...rowOne)).map(({ to }) => to);

describe('the table of imports', () => {
  it.each(Object.keys(table))('holds for %s', (name) => {
    const row = table[name];
    expect(row === undefined ? ['no such row'] : breaks(row)).toEqual([]);
  });

  it('allows no circle of files, not even of types', () => {
    const edges = Map.groupBy(
      imports.filter(({ to }) => sources.includes(to)),
      ({ from }) => from,
    );
    const left = new Set(sources);
    // A file that imports none of the others is in no circle.
    const free = (): string[] =>
      [...left].filter((path) => !(edges.get(path) ?? []).some(({ to }) => to !== path && left.has(to)));
    for (let gone = free(); gone.length > 0; gone = free()) for (const path of gone) left.delete(path);
    expect([...left]).toEqual([]);
  });

  it('covers every file', () => {
    const parts = Object.values(table).flatMap(({ part }) => part);
    expect(sources.filter((path) => !inside(path, ...parts))).toEqual([]);
  });

  it('is compared with every form of import', () => {
    const text = [
      "import { a } from './a.ts';",
      "import type { B } from './b.ts';",
      "import { type C, type D } from '../x402/c.ts';",
      "import {\n  type E,\n  f,\n} from './e.ts';",
      "import * as g from 'express';",
      "import h, { i } from './h.ts';",
      "import './j.ts';",
      "export * from './k.ts';",
      "export type { L } from './l.ts';",
      "  const m = await import('./m.ts');",
    ].join('\n');
    expect(
      importsOf('server/http/x.ts', text).map(({ to, typeOnly }) => `${typeOnly ? 'type ' : ''}${to}`),
    ).toEqual([
      'server/http/a.ts',
      'type server/http/b.ts',
      'type server/x402/c.ts',
      'server/http/e.ts',
      'express',
      'server/http/h.ts',
      'server/http/j.ts',
      'server/http/k.ts',
      'type server/http/l.ts',
      'server/http/m.ts',
    ]);
    expect(imports.length).toBeGreaterThan(300);
  });

  it('finds imports that break it', () => {
    for (const [from, to] of [
      ['server/engine/x.ts', 'server/http/errors.ts'],
      ['server/engine/x.ts', 'better-sqlite3'],
      ['server/http/x.ts', ports],
      ['server/contract/x.ts', ports],
      ['server/vault/x.ts', 'node:http'],
      ['server/sandbox/x.ts', ports],
      ['server/host/host.ts', 'server/cli/main.ts'],
      ['server/main.ts', 'server/store/store.ts'],
      ['renderer/x.tsx', 'server/contract/schemas.ts'],
    ] as const)
      expect(broken(from, to), `${from} -> ${to}`).toHaveLength(1);
    expect(broken('server/http/x.ts', ports, true)).toEqual([]);
    expect(broken('renderer/x.tsx', 'server/contract/schemas.ts', true)).toEqual([]);
  });

  it('has no circle in its first row', () => {
    const circles = (file: string, trail: string[]): string[] =>
      trail.includes(file)
        ? [[...trail, file].join(' -> ')]
        : next(file).flatMap((to) => circles(to, [...trail, file]));
    expect(sources.filter((path) => inside(path, ...rowOne)).flatMap((path) => circles(path, []))).toEqual(
      [],
    );
  });

  it('keeps zod out of files that the renderer and the bridge load', () => {
    const free = [...plainContract, 'server/money.ts', 'server/errors.ts'];
    for (const path of free)
      expect(importsOf(path).filter(({ to, typeOnly }) => !typeOnly && !free.includes(to))).toEqual([]);
  });
});

describe('the top level', () => {
  it('holds the parts that the layout lists, and nothing else', () => {
    const listed = [
      'package.json',
      'tsconfig.json',
      'electron',
      'renderer',
      'server',
      'build',
      'test',
      'README.md',
    ];
    const beside = ['package-lock.json', 'LICENSE', 'node_modules'];
    const there = readdirSync(root).filter((name) => !name.startsWith('.'));
    expect(there.filter((name) => !listed.includes(name) && !beside.includes(name))).toEqual([]);
  });

  it('of server/ holds the parts of the layout', () => {
    const parts = [
      'lib',
      'contract',
      'engine',
      'paywall',
      'gate',
      'customer',
      'catalog',
      'backup',
      'notices',
      'host',
      'store',
      'solana',
      'vault',
      'x402',
      'providers',
      'signin',
      'books',
      'sandbox',
      'http',
      'client',
      'mcp',
      'cli',
    ];
    const folders = readdirSync(join(root, 'server')).filter((name) =>
      statSync(join(root, 'server', name)).isDirectory(),
    );
    expect(folders.filter((name) => !parts.includes(name))).toEqual([]);
  });
});

const baseName = (path: string): string => path.split('/').at(-1) ?? '';

describe('a source file', () => {
  it('is named in kebab-case, or after its React component', () => {
    expect(
      sources
        .map(baseName)
        .filter(
          (one) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.schemas)?\.ts$|^[A-Z]\w*\.tsx$|^[a-z0-9-]+\.tsx$/.test(one),
        ),
    ).toEqual([]);
  });
});

describe('a folder', () => {
  it('has at most thirty files in a row', () => {
    // Migrations are a list, and grow.
    const counted = Map.groupBy(
      [...sources, ...filesBelow('test')].filter((path) => !path.includes('/migrations/')),
      (path) => dirname(path),
    );
    expect([...counted].filter(([, files]) => files.length > 30).map(([folder]) => folder)).toEqual([]);
  });

  it('has few small files that one neighbour alone reads', () => {
    const readers = Map.groupBy(imports, ({ to }) => to);
    const lonely = sources.filter((path) => {
      const from = new Set((readers.get(path) ?? []).map((one) => one.from));
      const [reader] = from;
      const isNeighbour = from.size === 1 && reader !== undefined && dirname(reader) === dirname(path);
      return isNeighbour && read(path).split('\n').length <= 40;
    });
    // This number only shrinks: a file has a second reader or a second reason, or it stays where it is used.
    expect(lonely.length).toBeLessThanOrEqual(39);
  });
});
