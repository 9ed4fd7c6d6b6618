// A line that a person types into a shell, in a pseudo-terminal, with the answers to what it asks.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../treasury.ts';

/** Of util-linux: it gives a program a pseudo-terminal. */
export const scriptProgram = '/usr/bin/script';

interface Typed {
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** What is waited for, and what is typed then. */
  answers?: readonly (readonly [string, string])[];
}

/** Resolves to all that the terminal showed, and to the exit code. */
export const typeLine = async (
  line: string,
  { env, cwd, answers = [] }: Typed,
): Promise<{ code: number; shown: string }> => {
  const child = spawn(scriptProgram, ['-qefc', line, '/dev/null'], {
    // Bash becomes the program. Dash stays beside it, and dies of a Ctrl-C that the program answers.
    env: { ...env, SHELL: '/bin/bash' },
    ...(cwd === undefined ? {} : { cwd }),
  });
  let shown = '';
  let hasEnded = false;
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => {
    hasEnded = true;
    return Number(code);
  });
  let from = 0;
  for (const [question, answer] of answers) {
    const stands = await until(`"${question}" in ${shown.slice(from)}`, async () => {
      if (shown.includes(question, from)) return 'asked';
      return hasEnded ? 'ended' : undefined;
    });
    if (stands === 'ended') throw new Error(`${line} ended before it asked "${question}": ${shown}`);
    from = shown.length;
    child.stdin.write(answer);
  }
  return { code: await ended, shown };
};
