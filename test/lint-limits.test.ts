// Limits of size: build/oxlint.json names the files that may break one, and the list only shrinks.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

interface Config {
  rules: Record<string, unknown>;
  overrides: { files: string[]; rules: Record<string, string> }[];
}

const root = fileURLToPath(new URL('..', import.meta.url));
const config = JSON.parse(readFileSync(join(root, 'build/oxlint.json'), 'utf8')) as Config;
const limits = ['max-lines', 'max-lines-per-function', 'max-params'] as const;
const exceptions = config.overrides
  .filter(({ files }) => !files.includes('**/test/**'))
  .flatMap(({ files, rules }) => files.flatMap((file) => Object.keys(rules).map((rule) => ({ file, rule }))));

const folder = mkdtempSync(join(tmpdir(), 'treasury-limits-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The violations of a limit when no file is excepted, as `rule file`. */
const broken = (): Set<string> => {
  const file = join(folder, 'limits.json');
  const rules = Object.fromEntries(limits.map((name) => [name, config.rules[name]]));
  writeFileSync(file, JSON.stringify({ categories: { correctness: 'off' }, rules }));
  const command = join(root, 'node_modules/oxlint/bin/oxlint');
  const args = [command, '-c', file, '-f', 'json', 'server', 'electron', 'renderer', 'build', 'test'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
  return new Set(
    diagnostics.map(({ code, filename }) => `${/\((.*)\)/.exec(code)?.[1] ?? code} ${filename}`),
  );
};

describe('the exceptions from the limits of size', () => {
  it('are still needed, each of them', () => {
    const found = broken();
    const unneeded = exceptions.filter(({ file, rule }) => !found.has(`${rule} ${file.replace('**/', '')}`));
    expect(unneeded).toEqual([]);
  });

  it('are no more than they were', () => {
    const counted = limits.map((name) => exceptions.filter(({ rule }) => rule === name).length);
    // Lower these with each exception that goes. They never rise.
    expect(counted).toEqual([1, 5, 0]);
  });
});
