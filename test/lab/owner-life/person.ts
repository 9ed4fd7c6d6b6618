// An owner at a machine: a user who is not root, with a home of their own, who types commands at a pseudo-terminal in the
// checkout, as the documents print them. Needs `script` of util-linux.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { inSession } from '../../harness/programs/keychain.ts';
import { removeFolder, temporaryFolder } from '../../harness/treasury.ts';
import { scriptProgram } from '../../harness/programs/typed-line.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** The user and the group `nobody` of Debian. */
const nobody = 65_534;
const mostMs = 120_000;
const ctrlC = '\u0003';

export const hasTerminals = process.platform === 'linux' && existsSync(scriptProgram);

/** A command that was typed, and what the screen shows of it. */
export interface Typed {
  /** Resolves with the match once the screen shows the pattern after all that was matched before. @throws when it ends first */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  /** Types a line. */
  answer(line: string): void;
  /** Types a line that the screen must never show. */
  answerHidden(line: string): void;
  /** Types a key without Enter, such as Ctrl-D. */
  press(key: string): void;
  /** Ctrl-C, and the end. */
  interrupt(): Promise<void>;
  /** The exit code, once the command has ended. */
  ended(): Promise<number>;
  screen(): string;
}

export interface Person {
  home: string;
  type(command: string): Typed;
  /** Types a command that asks nothing. Returns what it prints. @throws when its exit code is not `code` */
  run(command: string, code?: number): Promise<string>;
  /** Ends what still runs, and removes the home. */
  leave(): Promise<void>;
}

/** @param hasKeychain the home has a desktop's keychain, which outlives each command */
export const createPerson = (hasKeychain: boolean): Person => {
  const home = temporaryFolder();
  const isRoot = process.getuid?.() === 0;
  const own = (path: string): void => {
    chmodSync(path, 0o700);
    if (isRoot) chownSync(path, nobody, nobody);
  };
  own(home);
  const session = hasKeychain ? inSession(home) : { wrapper: [], env: {} };
  if (hasKeychain) own(join(home, 'run'));
  const user = isRoot ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--'] : [];
  const env = {
    TERM: 'xterm',
    ...session.env,
    PATH: [join(root, 'node_modules/node/bin'), process.env['PATH']].join(':'),
    HOME: home,
    // A checkout of their own would have it; this one belongs to somebody else.
    NODE_COMPILE_CACHE: join(home, 'compiled'),
  };

  const running = new Map<ChildProcess, Promise<unknown>>();

  const type = (command: string): Typed => {
    const shell = [...session.wrapper, scriptProgram, '-qec', command, '/dev/null'];
    const [program = '', ...words] = [...user, ...shell];
    const child = spawn(program, words, { cwd: root, env, stdio: ['pipe', 'pipe', 'inherit'] });
    let text = '';
    let matchedTo = 0;
    const hidden: string[] = [];
    const closed = once(child, 'close').then(([code]) => {
      running.delete(child);
      if (hidden.some((line) => text.includes(line))) throw new Error(`${command} shows a secret: ${text}`);
      return Number(code);
    });
    // A caller that waits for the end gets the failure.
    closed.catch(() => {});
    running.set(child, closed);
    child.stdout.on('data', (chunk: Buffer) => (text += stripVTControlCharacters(chunk.toString())));
    // A command that ends does not read on.
    child.stdin.on('error', () => {});
    const failed = (why: string): Error => new Error(`${command}: ${why}. The screen: ${text}`);
    return {
      async shows(pattern) {
        const late = performance.now() + mostMs;
        let hasEnded = false;
        const end = (): boolean => (hasEnded = true);
        closed.then(end, end);
        for (;;) {
          const found = pattern.exec(text.slice(matchedTo));
          if (found !== null) {
            matchedTo += found.index + found[0].length;
            return found;
          }
          if (hasEnded) throw failed(`it ended before ${pattern}`);
          if (performance.now() > late) throw failed(`it never showed ${pattern}`);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      },
      answerHidden(line) {
        hidden.push(line);
        child.stdin.write(`${line}\r`);
      },
      answer: (line) => void child.stdin.write(`${line}\r`),
      press: (key) => void child.stdin.write(key),
      async interrupt() {
        child.stdin.write(ctrlC);
        await closed;
      },
      ended: () => closed,
      screen: () => text,
    };
  };

  return {
    home,
    type,
    async run(command, code = 0) {
      const typed = type(command);
      const ended = await typed.ended();
      if (ended !== code) throw new Error(`${command} ended with ${ended}: ${typed.screen()}`);
      return typed.screen();
    },
    async leave() {
      for (const [child, closed] of running) {
        // The terminal closes, and the command gets a SIGHUP.
        child.kill('SIGTERM');
        await closed.catch(() => {});
      }
      removeFolder(home);
    },
  };
};
