// --help and completion: every subcommand has examples that parse, and the shells complete what the command knows.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingTools } from '../../build/setup.ts';
import { examples } from '../../server/cli/examples.ts';
import { createProgram } from '../../server/cli/program.ts';
import type { Io } from '../../server/cli/terminal.ts';
import { deploy, openTreasury, removeFolder, temporaryFolder, type Treasury } from '../harness/treasury.ts';
import { letIn, run } from './terminal.ts';
import { programOf } from '../harness/programs.ts';

const silent: Io = {
  out: () => {},
  err: () => {},
  ask: null,
  browse: null,
  colour: false,
  env: {},
  home: '/home/somebody',
  platform: 'linux',
};

/** Every subcommand that people see, by its words. */
const commandsBelow = (command: Command, path = ''): [string, Command][] =>
  command.commands
    .filter((one) => !one.name().startsWith('__'))
    .flatMap((one) => {
      const name = `${path} ${one.name()}`.trim();
      return [[name, one] as [string, Command], ...commandsBelow(one, name)];
    });
/** A group does nothing by itself. */
const acts = ([, command]: [string, Command]): boolean =>
  command.commands.length === 0 || command.name() === 'mcp';

/** Splits a line as a shell does, without its comment, redirections and pipes. */
const wordsOf = (line: string): string[] =>
  [
    ...line
      .replace(/\s+#.*$/, '')
      .replace(/^source <\((.*)\)$/, '$1')
      .replace(/\s+(\d?<|\|).*$/, '')
      .matchAll(/(?:"([^"]*)"|'([^']*)'|[^\s"']+)+/g),
  ].map(([word, double, single]) => double ?? single ?? word);

describe('--help', () => {
  it('has examples for every subcommand, and for nothing else', () => {
    const names = commandsBelow(createProgram(silent).command)
      .filter(acts)
      .map(([name]) => name);
    expect(Object.keys(examples).toSorted()).toEqual(names.toSorted());
  });

  it.each(Object.entries(examples).flatMap(([name, lines]) => lines.map((line) => [name, line] as const)))(
    'of “%s” shows an example that parses: %s',
    async (name, line) => {
      const { command } = createProgram(silent);
      const called: string[] = [];
      for (const [path, one] of commandsBelow(command)) one.action(() => void called.push(path));
      const [program, ...args] = wordsOf(line);
      expect(program).toBe('treasury');
      await command.parseAsync(args, { from: 'user' });
      expect(called).toEqual([name]);
      const told = await run([...name.split(' '), '--help'], { home: '/home/somebody' });
      expect(told.stdout).toContain(`\nExamples:\n`);
      expect(told.stdout).toContain(`  ${line}\n`);
    },
  );
});

describe('a mistyped subcommand or option', () => {
  it.each([
    ['aprove apr_1', 'approve'],
    ['agnets', 'agents'],
    ['pay scout weather 1 --kye x', '--key'],
    ['catalog sorces', 'sources'],
  ])('“%s” is answered with a suggestion', async (line, meant) => {
    const ended = await run(line.split(' '), { home: '/home/somebody' });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(`Did you mean ${meant}?`);
    const told = await run([...line.split(' '), '--json'], { home: '/home/somebody' });
    expect(JSON.parse(told.stderr)).toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`Did you mean ${meant}?`),
    });
  });
});

describe('completion', () => {
  let treasury: Treasury;
  let folder: string;
  beforeAll(async () => {
    treasury = await openTreasury();
    await deploy(treasury.client, 'scout', { allocate: null });
    await letIn(treasury);
    folder = temporaryFolder();
    mkdirSync(join(folder, 'bin'));
    const main = programOf('server/cli/main.ts');
    writeFileSync(join(folder, 'bin', 'treasury'), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, {
      mode: 0o755,
    });
  });
  afterAll(async () => {
    await treasury.close();
    removeFolder(folder);
  });

  const completed = async (...words: string[]): Promise<string[]> => {
    const { stdout } = await run(['--data', treasury.dataDir, '__complete', '--', ...words], {
      home: folder,
    });
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t')[0] ?? '');
  };

  it('offers subcommands, options, their values, and what the treasury has', async () => {
    expect(await completed('un')).toEqual(['unfreeze', 'unlock']);
    expect(await completed('mcp', 'i')).toEqual(['install']);
    expect(await completed('mcp', 'install', 'cl')).toEqual(['claude-code', 'claude-desktop']);
    expect(await completed('policy', 'scout', '--new')).toEqual(['--new-payees']);
    expect(await completed('policy', 'scout', '--new-payees', '')).toEqual(['allow', 'approve']);
    expect(await completed('pay', 's')).toEqual(['scout']);
    expect(await completed('pay', '--key', 'k', '')).toEqual(['scout']);
    expect(await completed('--data', treasury.dataDir, 'kill', '')).toEqual(['scout']);
    expect(await completed('--data', folder, 'kill', '')).toEqual([]);
    expect(await completed('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(await completed('freeze', '--')).toEqual(['--reason', '--version', '--data', '--json']);
    expect(await completed('backup', '')).toEqual([]);
    expect(await completed('')).not.toContain('__complete');
  });

  it('offers nothing of a treasury that does not run', async () => {
    const { code, stdout } = await run(['--data', folder, '__complete', '--', 'pay', ''], { home: folder });
    expect([code, stdout]).toEqual([0, '']);
  });

  const inShell = async (shell: string, args: string[]): Promise<string[]> => {
    const env = {
      PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      TREASURY_DATA: treasury.dataDir,
      TERM: 'dumb',
    };
    const { stdout } = await promisify(execFile)(shell, args, { env, timeout: 60_000 });
    return stdout
      .split('\n')
      .map((line) => line.split('\t')[0]?.trim() ?? '')
      .filter(Boolean);
  };

  it('works in bash', async () => {
    expect(await bashAsked(inShell, "pay ''")).toEqual(['scout']);
  });

  it('works in zsh', async ({ skip }) => {
    skip(missingTools('zsh').length > 0, 'zsh is not here');
    expect(await zshAsked(inShell, "pay ''")).toEqual(['scout']);
    expect(await zshAsked(inShell, "backup ''")).toEqual(['files']);
  });

  it('works in fish', async ({ skip }) => {
    skip(missingTools('fish').length > 0, 'fish is not here');
    expect(await fishAsked(inShell, 'treasury policy scout --new-payees a')).toEqual(['allow', 'approve']);
  });
});

type InShell = (shell: string, args: string[]) => Promise<string[]>;

const bashAsked = (inShell: InShell, words: string): Promise<string[]> =>
  inShell('bash', [
    '--norc',
    '-c',
    `source <(treasury completion bash)
     complete -p treasury >&2
     COMP_WORDS=(treasury ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
     _treasury_completion
     printf '%s\\n' "\${COMPREPLY[@]}"`,
  ]);

/** The arguments of _describe stand for the menu, which needs a screen. */
const zshAsked = (inShell: InShell, words: string): Promise<string[]> =>
  inShell('zsh', [
    '-f',
    '-c',
    `autoload -U compinit; compinit -D
     source <(treasury completion zsh)
     [[ \${_comps[treasury]} == _treasury_completion ]] || exit 1
     _describe() { print -l -- "\${(@)\${(P)2}%%:*}" }
     _files() { print -- files }
     words=(treasury ${words}); CURRENT=\${#words}
     _treasury_completion`,
  ]);

const fishAsked = (inShell: InShell, line: string): Promise<string[]> =>
  inShell('fish', ['--no-config', '-c', `treasury completion fish | source; complete -C '${line}'`]);
