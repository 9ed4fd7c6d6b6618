// `npm start`: the treasury for a person. Builds what is missing and starts the desktop. Where that is impossible, it
// says why in one line and starts the headless host, with the same dashboard in a browser.
import { styleText } from 'node:util';
import process from 'node:process';
import { readConfig } from '../server/config.ts';
import { AppError } from '../server/errors.ts';
import { announceInWords } from '../server/host/announce.ts';
import { checkPort } from '../server/host/port.ts';
import { runHost } from '../server/host/run.ts';
import { ensureBuilt } from './build.ts';
import { startDesktop } from './start-desktop.ts';

const dim = (text: string): string => styleText('dim', text);
const print = (text: string): void => void process.stdout.write(text);

/** Ends with one sentence where the port is taken or the arguments are wrong. */
const endIfPortTaken = async (): Promise<void> => {
  try {
    const config = readConfig(args, process.env);
    if (!config.exportPhrase) await checkPort(config);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
};

const args = process.argv.slice(2);
/** These runs end by themselves and need no desktop. */
const isShort = args.some((arg) => arg === '--help' || /^--restore(=|$)/.test(arg));
const refusal = isShort ? null : await startDesktop(args);
if (refusal !== null) {
  await endIfPortTaken();
  await ensureBuilt('dashboard');
  print(dim(`${refusal} Starting the headless host instead.\n`));
}
if (refusal !== null || isShort) await runHost({ args, announce: announceInWords, logLevel: 'warn' });
