// Where a headless host reads the vault's passphrase and a recovery phrase: a file descriptor, the terminal and, for the
// passphrase, the environment (containers). Never an argument: other processes can see those.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { rootOfPhrase } from '../vault/keys.ts';
import { checkNewPassphrase } from '../vault/seal.ts';

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
  if (!isNew) return hidden((prompt) => prompt('Passphrase of the vault: '));
  return hidden(async (prompt) => {
    for (;;) {
      const typed = await promptUntil(prompt, 'Choose a passphrase for the vault: ', checkNewPassphrase);
      if ((await prompt('The same again: ')) === typed) return typed;
      process.stderr.write('The two passphrases differ.\n');
    }
  });
};

/**
 * Asks for the 24 words, hidden, until they are a recovery phrase.
 * @throws AppError `bad_request` where there is no terminal, and when the person ends it
 */
export const askPhrase = async (): Promise<string> => {
  if (!process.stdin.isTTY)
    throw new AppError(
      'bad_request',
      '--import-phrase asks in a terminal, and there is none. Give the words as a file: --import-phrase-fd 0 < FILE.',
    );
  return hidden((prompt) =>
    promptUntil(prompt, 'The 24 words, in one line (they are not shown): ', (typed) => {
      rootOfPhrase(typed).fill(0);
    }),
  );
};

/** @throws AppError `bad_request` when nothing can be read there */
export const readPhrase = async (fd: number): Promise<string> => readSecret('import-phrase-fd', fd);

const inTerminal = {
  'passphrase-fd': 'start in a terminal, which asks for it',
  'import-phrase-fd': 'use --import-phrase, which asks for the words in a terminal',
};

const readSecret = (option: keyof typeof inTerminal, fd: number): string => {
  let text: string;
  try {
    text = readFileSync(fd, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new AppError(
      'bad_request',
      `--${option}: nothing can be read from the file descriptor ${fd} (${code}). npm hands on 0, 1 and 2 alone: use 0, as in --${option} 0 < FILE, or ${inTerminal[option]}.`,
    );
  }
  if (text === '') throw new AppError('bad_request', `--${option}: the file descriptor ${fd} gave nothing.`);
  return text;
};

type Prompt = (question: string) => Promise<string>;

/**
 * Asks questions whose answers are not shown. The terminal's echo is off from before the first question until after the
 * last answer: what is typed or pasted between two questions must not appear either, and answers the next one.
 * @throws AppError `bad_request` at Ctrl-C and at the end of the input
 */
const hidden = async <T>(ask: (prompt: Prompt) => Promise<T>): Promise<T> => {
  const silent = new Writable({ write: (_chunk, _encoding, written) => written() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true, historySize: 0 });
  const lines = terminal[Symbol.asyncIterator]();
  try {
    return await ask(async (question) => {
      process.stderr.write(question);
      const { done, value } = await lines.next();
      process.stderr.write('\n');
      if (done === true)
        throw new AppError('bad_request', 'The question was not answered. Nothing was made.');
      return value;
    });
  } finally {
    terminal.close();
  }
};

/** Asks again after each refusal. */
const promptUntil = async (
  prompt: Prompt,
  question: string,
  check: (typed: string) => void,
): Promise<string> => {
  for (;;) {
    const typed = await prompt(question);
    try {
      check(typed);
      return typed;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      process.stderr.write(`${error.message}\n`);
    }
  }
};
