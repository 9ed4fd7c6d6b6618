#!/usr/bin/env node
// The `treasury` command, on this process.
import { homedir } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { browserOf } from './browser.ts';
import { runCommand } from './program.ts';
import type { Io } from './terminal.ts';

const { stdin, stdout, stderr, env } = process;

/** Questions go to standard error: standard output is the result's. */
const ask: Io['ask'] = async (question, { isSecret }) => {
  stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, written) => written() });
  const line = createInterface({ input: stdin, output: isSecret ? silent : stderr, terminal: true });
  // The end of the input is no answer, and must not be taken for one.
  const ended = new Promise<string>((resolve) => line.once('close', () => resolve('')));
  try {
    return await Promise.race([line.question(''), ended]);
  } finally {
    line.close();
    stderr.write('\n');
  }
};

// Whoever reads the output may stop early (`treasury history | head`).
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const run = async (): Promise<void> => {
  process.exitCode = await runCommand(process.argv.slice(2), {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    ask: stdin.isTTY && stderr.isTTY ? ask : null,
    browse: browserOf(process.platform, env),
    colour: stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
    env,
    home: homedir(),
    platform: process.platform,
  });
};

void run();
