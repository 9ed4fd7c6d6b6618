#!/usr/bin/env node
// The `treasury` command.
import { readFileSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { AppError } from '../errors.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { logIn } from './login.ts';
import { status } from './status.ts';

const descriptor = (text: string): number => {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a file descriptor: a number such as 3.');
};

const program = new Command('treasury')
  .description('Talks to the treasury that runs on this machine.')
  .version(packageJson.version)
  .addOption(
    new Option('--data <folder>', 'the treasury’s data folder')
      .env('TREASURY_DATA')
      .default(join(homedir(), '.agent-treasury')),
  )
  .option('--json', 'print JSON instead of text', false)
  .addHelpText('after', '\nExit codes: 0 done, 1 refused or not running, 2 wrong usage.')
  .exitOverride();

const common = () => {
  const { data, json } = program.opts<{ data: string; json: boolean }>();
  return { dataDir: resolve(data), json, print: (line: string) => void process.stdout.write(`${line}\n`) };
};

program
  .command('login')
  .description('ask the owner to let this terminal in for fifteen minutes')
  .option('--passphrase-fd <n>', 'on a headless host: be the owner by the vault’s passphrase', descriptor)
  .action(async ({ passphraseFd }: { passphraseFd?: number }) => {
    const passphrase =
      passphraseFd === undefined ? undefined : readFileSync(passphraseFd, 'utf8').replace(/\r?\n$/, '');
    await logIn({ ...common(), terminal: `${userInfo().username} on ${hostname()}`, passphrase });
  });

program
  .command('status')
  .description('balance, agents, what waits and what is stopped')
  .action(() => status(common()));

const run = async (): Promise<void> => {
  try {
    await program.parseAsync();
  } catch (error) {
    // Commander has printed what it has to say.
    if (error instanceof Error && 'exitCode' in error) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else if (error instanceof AppError) {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    } else throw error;
  }
};

void run();
