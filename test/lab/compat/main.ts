// `npm run compat`: the tests that have to hold with every runtime, SDK, web framework, client and recipe, with all of
// them. `npm test` runs the same tests with the first of each kind (test/harness/kinds.ts).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const usage = `Usage: npm run compat -- [options] [words in the names of files]

  --list    only print the files
  --help    print this

Each file that imports test/harness/kinds.ts runs with all kinds. What is skipped is printed with its reason. Exits
with 1 when a test fails.
`;

const root = fileURLToPath(new URL('../../..', import.meta.url));
const filesOfKinds = (words: readonly string[]): string[] =>
  globSync('test/**/*.test.ts', { cwd: root, exclude: ['test/peers'] })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .filter((file) => readFileSync(join(root, file), 'utf8').includes('/harness/kinds.ts'))
    .toSorted();

const run = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    options: { list: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const files = filesOfKinds(positionals);
  if (values.help || values.list) {
    process.stdout.write(values.help ? usage : `${files.join('\n')}\n`);
    return 0;
  }
  if (files.length === 0) throw new Error(`No file with kinds is named ${positionals.join(' or ')}.`);
  const program = ['--import', './build/preload.mjs', 'build/test.ts', '--reporter', 'verbose', ...files];
  const env = { ...process.env, TREASURY_KINDS: 'all' };
  const child = spawn(process.execPath, program, { cwd: root, env, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
};

process.exitCode = await run();
