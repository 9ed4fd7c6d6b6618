// Input that the command refuses before it asks the treasury, its words when the treasury does not answer, its help and
// completion, and the forms of its output.
import type { Command } from 'commander';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingTools } from '../../build/setup.ts';
import { createProgram } from '../../server/cli/program.ts';
import { table } from '../../server/cli/table.ts';
import { type Io, jsonText } from '../../server/cli/terminal.ts';
import { writeToken } from '../../server/client/terminal-token.ts';
import { deploy, openTreasury, removeFolder, temporaryFolder, type Treasury } from '../harness/treasury.ts';
import { letIn, run } from './terminal.ts';
import { programOf } from '../harness/programs/programs.ts';

let home: string;
beforeAll(() => {
  home = temporaryFolder();
});
afterAll(() => removeFolder(home));

describe('wrong usage', () => {
  it.each([
    'nonsense',
    '',
    'deploy scout',
    'deploy scout --daily-budget 1.2345678 --max-per-payment 1',
    'deploy scout --daily-budget 5 --max-per-payment 1e3',
    'allocate scout 0',
    'allocate scout -1',
    'allocate scout 1,5',
    'recall scout',
    'pay scout sandbox-weather 0.00',
    'pay scout sandbox-weather',
    'policy scout --new-payees perhaps',
    'policy scout --cooldown-seconds soon',
    'policy scout --approve-above nothing',
    'approve apr_1 --up-to 1 --until tomorrow',
    'statement --format pdf',
    'statement --from 2030-02-31x',
    'history --limit many',
    'unlock --passphrase-fd secret',
    'login --passphrase-fd secret',
    'mcp install cursor',
    'mcp install emacs --agent scout',
    'status --colour',
    'withdraw 1',
    'keys',
    'keys rotate scout',
    'standing revoke',
    'services add',
    'generate pier --model m',
    'generate pier -o file --model m --resolution 8k',
    'delivery',
    'completion tcsh',
  ])('“%s” ends with 2, a sentence and nothing on standard output', async (line) => {
    const ended = await run(line === '' ? [] : line.split(' '), { home });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/\w/);
  });

  it('does not include asking for help, which tells the exit codes of every subcommand', async () => {
    for (const args of [['--help'], ['pay', '--help'], ['mcp', 'install', '--help']]) {
      const ended = await run(args, { home });
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      const codes = [...ended.stdout.matchAll(/^  (\d)  \S/gm)].map(([, code]) => Number(code));
      expect(codes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
  });

  it.each(
    [
      'login|status|agents|deploy a --daily-budget 1 --max-per-payment 1|rename a b|kill a|resume a|allocate a 1',
      'recall a 1|policy a|freeze|unfreeze --yes|lock|unlock|approvals|approve b --yes|deny b|pay a b 1|payment b',
      'services|history|statement|mcp install cursor --agent a|doctor|withdraw 1 a --yes|keys a|keys add a',
      'keys revoke a b --yes|standing|standing revoke a --yes|services add https://a.example --yes|models',
      'generate p --model m -o f --agent a|delivery p|models suppliers|models remove a --yes',
    ].flatMap((lines) => lines.split('|')),
  )('“%s” without a treasury ends with its own code', async (line) => {
    const ended = await run([...line.split(' '), '--data', home], { home });
    expect(ended.code).toBe(line === 'doctor' ? 1 : 8);
    expect(ended.stderr + ended.stdout).toContain('The treasury is not running. Start it');
  });
});

describe('a word that no subcommand has', () => {
  it.each([
    ['cold', 'revoke'],
    ['phone', 'freeze'],
    ['groups', 'foo'],
  ])('%s %s is named as unknown', async (name, word) => {
    const { code, stderr } = await run([name, word], { home });
    expect(code).toBe(2);
    expect(stderr).toContain(`unknown command '${word}'. See: treasury ${name} --help`);
  });
});

/** A server in the treasury's place that answers as the test says. */
const standIn = async (answer: RequestListener): Promise<{ dataDir: string; server: Server }> => {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dataDir = join(home, String((server.address() as AddressInfo).port));
  mkdirSync(join(dataDir, 'runtime'), { recursive: true });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoint = { url, pid: 1, owner: '1'.repeat(32), network: 'sandbox' };
  writeFileSync(join(dataDir, 'runtime', 'endpoint.json'), JSON.stringify(endpoint));
  writeToken(dataDir, { token: 'a-token', expiresAt: new Date(Date.now() + 60_000).toISOString() });
  return { dataDir, server };
};

describe('an answer that is lost', () => {
  it.each<[string, RequestListener]>([
    ['before it begins', (request) => request.socket.destroy()],
    [
      'in the middle',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
        response.write('{"paymentId":', () => response.socket?.destroy());
      },
    ],
    [
      'by an internal error',
      (_, response) => response.writeHead(500).end('{"code":"internal","error":"Oh."}'),
    ],
  ])('%s prints the idempotency key under which the payment can be repeated', async (_, answer) => {
    const keys: unknown[] = [];
    const { dataDir, server } = await standIn((request, response) => {
      keys.push(request.headers['idempotency-key']);
      answer(request, response);
    });
    for (const args of ['pay scout weather 1', 'allocate scout 1', 'recall scout 1']) {
      const ended = await run([...args.split(' '), '--data', dataDir], { home });
      expect(ended).toMatchObject({ code: 9, stdout: '' });
      expect(ended.stderr).toContain(`Repeat it with --key ${String(keys.at(-1))}`);
    }
    await run(['pay', 'scout', 'weather', '1', '--key', 'my-own', '--data', dataDir], { home });
    expect(keys.at(-1)).toBe('my-own');
    expect(new Set(keys).size).toBe(keys.length);
    server.close();
  });

  it('is not reported when nothing was sent', async () => {
    const { dataDir, server } = await standIn(() => {});
    await new Promise((resolve) => server.close(resolve));
    const ended = await run(['pay', 'scout', 'weather', '1', '--data', dataDir], { home });
    expect(ended.stderr).toBe(
      'The treasury is not running. Start it (in a checkout: npm start), or name its data folder with --data.\n',
    );
  });

  it('of a payment under way is reported as not settled', async () => {
    const { dataDir, server } = await standIn((_, response) =>
      response.writeHead(202).end('{"paymentId":"pay_1","status":"pending"}'),
    );
    const ended = await run(['pay', 'scout', 'weather', '1', '--data', dataDir, '--json'], { home });
    expect(ended).toMatchObject({ code: 9, json: { paymentId: 'pay_1', status: 'pending' } });
    expect(JSON.parse(ended.stderr)).toEqual({
      code: 'under_way',
      message: 'It is not confirmed yet. Check again: treasury payment pay_1',
      details: { paymentId: 'pay_1' },
    });
    server.close();
  });
});

describe('a table', () => {
  const io = { io: { color: false } } as Parameters<typeof table>[0];

  it('aligns words to the left and numbers to the right', () => {
    expect(
      table(
        io,
        ['NAME', 'USDC'],
        [
          ['a', '10.00'],
          ['long name', '0.5'],
        ],
      ),
    ).toEqual(['NAME        USDC', 'a          10.00', 'long name    0.5']);
  });

  it('does not let text control the terminal', () => {
    const hostile = table(io, ['NAME'], [['\u001B]0;owned\u0007\u202Ereversed\nrow']]).join('|');
    expect(hostile).toBe('NAME| ]0;owned  reversed row');
  });

  it('is emphasized only where color is wanted', () => {
    const colored = { io: { color: true } } as Parameters<typeof table>[0];
    expect(table(colored, ['NAME'], [['a']])).toEqual(['\u001B[1mNAME\u001B[22m', 'a']);
  });
});

const silent: Io = {
  out: () => {},
  err: () => {},
  ask: null,
  browse: null,
  color: false,
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

/** The lines of the examples that its --help shows. */
const examplesOf = async (name: string): Promise<string[]> => {
  const { stdout } = await run([...name.split(' '), '--help'], { home: '/home/somebody' });
  const [, lines = ''] = /\nExamples:\n((?:  .*\n)+)/.exec(stdout) ?? [];
  return lines.split('\n').flatMap((line) => (line === '' ? [] : [line.trim()]));
};

const subcommands = commandsBelow(createProgram(silent).command);
const examples = await Promise.all(
  subcommands.map(async ([name]) => [name, await examplesOf(name)] as const),
);

describe('--help', () => {
  it('has examples for every subcommand, and for nothing else', () => {
    const shown = examples.filter(([, lines]) => lines.length > 0).map(([name]) => name);
    expect(shown).toEqual(subcommands.filter(acts).map(([name]) => name));
  });

  it.each(examples.flatMap(([name, lines]) => lines.map((line) => [name, line] as const)))(
    'of “%s” shows an example that parses: %s',
    async (name, line) => {
      const { command } = createProgram(silent);
      const called: string[] = [];
      for (const [path, one] of commandsBelow(command)) one.action(() => void called.push(path));
      const [program, ...args] = wordsOf(line);
      expect(program).toBe('treasury');
      await command.parseAsync(args, { from: 'user' });
      expect(called).toEqual([name]);
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
    expect(await completed('un')).toEqual(['unpayable', 'unfreeze', 'unlock']);
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

  // As everywhere, programs start faster with the folder of compiled modules.
  const { NODE_COMPILE_CACHE } = process.env;
  const compiled = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
  const inShell = async (shell: string, args: string[]): Promise<string[]> => {
    const env = {
      PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      TREASURY_DATA: treasury.dataDir,
      TERM: 'dumb',
      ...compiled,
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
    expect(await zshAsked(inShell, "pay ''", "backup ''")).toEqual(['scout', 'files']);
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
const zshAsked = (inShell: InShell, ...lines: string[]): Promise<string[]> =>
  inShell('zsh', [
    '-f',
    '-c',
    `autoload -U compinit; compinit -D
     source <(treasury completion zsh)
     [[ \${_comps[treasury]} == _treasury_completion ]] || exit 1
     _describe() { print -l -- "\${(@)\${(P)2}%%:*}" }
     _files() { print -- files }
     ${lines.map((words) => `words=(treasury ${words}); CURRENT=\${#words}; _treasury_completion`).join('\n')}`,
  ]);

const fishAsked = (inShell: InShell, line: string): Promise<string[]> =>
  inShell('fish', ['--no-config', '-c', `treasury completion fish | source; complete -C '${line}'`]);

const every = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)).join('');

describe('a JSON document', () => {
  it('holds no control and no direction character, and is the same when it is parsed', () => {
    const said = `${every(0, 0x9f)}${every(0x200b, 0x200f)}${every(0x2028, 0x202e)}${every(0x2066, 0x2069)}\u061c\ufeff\u00ad\u{e0041}`;
    const value = { [said]: [said, { deep: said }], plain: 'é “ü” 雨 🙂' };
    const text = jsonText(value);
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    expect(JSON.parse(text)).toEqual(value);
    expect(text).toContain('é “ü” 雨 🙂');
  });

  it('keeps lone halves of a surrogate pair as they were', () => {
    const value = { half: '\ud83d', other: '\udc41\udb40' };
    expect(JSON.parse(jsonText(value))).toEqual(value);
  });
});
