// Where a headless host gets the vault's passphrase: a file descriptor, the environment (containers), or the terminal.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Config } from './config.ts';

/** Undefined when nobody can be asked. The environment's copy is removed, so that no child inherits it. */
export const askPassphrase = async (
  { passphraseFd }: Pick<Config, 'passphraseFd'>,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> => {
  if (passphraseFd !== null) return readFileSync(passphraseFd, 'utf8').replace(/\r?\n$/, '');
  const given = env['TREASURY_PASSPHRASE'];
  delete env['TREASURY_PASSPHRASE'];
  if (given !== undefined) return given;
  return process.stdin.isTTY ? prompt() : undefined;
};

const prompt = async (): Promise<string> => {
  process.stderr.write('Passphrase of the vault: ');
  const silent = new Writable({ write: (_chunk, _encoding, written) => written() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
};
