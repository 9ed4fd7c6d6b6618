#!/usr/bin/env node
// Entry point of the `treasury` command.
import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { browserOf } from './browser.ts';
import { runCommand } from './program.ts';
import type { Io } from './terminal.ts';

const { stdin, stdout, stderr, env } = process;

/** Prompts go to standard error; standard output is for results. */
const ask: Io['ask'] = async (question, { isSecret }) => {
  const silent = new Writable({ write: (_chunk, _encoding, written) => written() });
  // This ends the terminal's echo. A secret that is typed or pasted as soon as the question is seen must not appear.
  const line = createInterface({ input: stdin, output: isSecret ? silent : stderr, terminal: true });
  stderr.write(question);
  // End of input counts as an empty answer, never as a yes.
  const ended = new Promise<string>((resolve) => line.once('close', () => resolve('')));
  try {
    return await Promise.race([line.question(''), ended]);
  } finally {
    line.close();
    stderr.write('\n');
  }
};

// The reader may close the pipe early (`treasury history | head`).
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const run = async (): Promise<void> => {
  process.exitCode = await runCommand(process.argv.slice(2), {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    ask: stdin.isTTY && stderr.isTTY ? ask : null,
    browse: browserOf(process.platform, env),
    color: stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
    columns: stdout.isTTY ? stdout.columns : undefined,
    env,
    home: homedir(),
    platform: process.platform,
  });
};

void run();
