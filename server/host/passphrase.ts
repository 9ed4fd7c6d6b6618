// Where a headless host reads the vault's passphrase: a file descriptor, the environment (containers), or the terminal.
// A recovery phrase is read from a file descriptor only: other processes can see arguments and environment.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';

/**
 * Undefined when there is no terminal to ask at. The environment's copy is removed, so that no child inherits it.
 * @param isNew the passphrase is being chosen: the terminal asks for it twice
 * @throws AppError `bad_request` when the two differ, or nothing can be read from the descriptor
 */
export const askPassphrase = async (
  { passphraseFd }: Pick<Config, 'passphraseFd'>,
  env: NodeJS.ProcessEnv,
  isNew: boolean,
): Promise<string | undefined> => {
  if (passphraseFd !== null) return readSecret('passphrase-fd', passphraseFd);
  const given = env['TREASURY_PASSPHRASE'];
  delete env['TREASURY_PASSPHRASE'];
  if (given !== undefined) return given;
  if (!process.stdin.isTTY) return undefined;
  const typed = await prompt(isNew ? 'Choose a passphrase for the vault: ' : 'Passphrase of the vault: ');
  if (isNew && (await prompt('The same again: ')) !== typed) {
    throw new AppError('bad_request', 'The two passphrases differ. Nothing was made; start again.');
  }
  return typed;
};

/** @throws AppError `bad_request` when nothing can be read there */
export const readPhrase = async (fd: number): Promise<string> => readSecret('import-phrase-fd', fd);

const readSecret = (option: string, fd: number): string => {
  let text: string;
  try {
    text = readFileSync(fd, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new AppError('bad_request', `--${option}: the file descriptor ${fd} cannot be read (${code}).`);
  }
  if (text === '') throw new AppError('bad_request', `--${option}: the file descriptor ${fd} gave nothing.`);
  return text;
};

const prompt = async (question: string): Promise<string> => {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, written) => written() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
};
