// Runs a host without a desktop until it is told to stop; shared by every way of starting one.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readConfig, usage, type Config } from '../config.ts';
import { AppError } from '../errors.ts';
import { announceAsJson, announceInWords } from './announce.ts';
import { createHost, exportPhrase, restoreBackup, restoredText } from './host.ts';
import { onEndSignal } from '../lib/end-signals.ts';
import type { Host } from './options.ts';
import { createLog, type LogLevel } from '../log.ts';
import { askPassphrase, askPhrase, readPhrase } from './passphrase.ts';

/** The build's output; without it the host serves /v1 alone. */
const dashboard = fileURLToPath(new URL('../../build/out/renderer', import.meta.url));

interface RunOptions {
  args: readonly string[];
  /** Default: a line of JSON; in a terminal, words as well. */
  announce?: (host: Host) => void;
  /** The default of `--log-level`. */
  logLevel?: LogLevel;
}

/**
 * The signals of `endSignals` end it cleanly with status 0, also while it starts; a second one ends it at once with 1. A
 * failed start prints one sentence and exits with 1.
 */
export const runHost = async ({ args, announce = announceToBoth, logLevel }: RunOptions): Promise<void> => {
  const ending = new AbortController();
  let started: Promise<Host | undefined> = Promise.resolve(undefined);
  onEndSignal(() => {
    ending.abort();
    // A start that ends has closed what it had opened.
    const close = started.catch(() => undefined).then((host) => host?.close());
    close.then(
      () => process.exit(0),
      // The log names what did not close. All that has to last is on disk.
      () => process.exit(1),
    );
  });
  try {
    const config = readConfig(args, process.env);
    if (config.help) {
      process.stdout.write(`${usage}\n`);
      return;
    }
    const saysLevel = args.some((arg) => arg.startsWith('--log-level'));
    const log = createLog(saysLevel ? config.logLevel : (logLevel ?? config.logLevel));
    const passphrase = (isNew: boolean) => askPassphrase(config, process.env, isNew);
    if (config.exportPhrase) {
      const { phrase, network, treasury } = await exportPhrase({ config, log, passphrase });
      // Apart from the words, so that they can be read by a program.
      process.stderr.write(`The recovery phrase of the treasury ${treasury} on ${network}:\n`);
      process.stdout.write(`${phrase}\n`);
      return;
    }
    if (config.restore !== null) {
      process.stdout.write(restoredText(await restoreBackup(config, config.restore, log)));
      return;
    }
    const starting = createHost({
      config,
      log,
      passphrase,
      ...(existsSync(dashboard) ? { dashboard } : {}),
      ...phraseFrom(config),
      ending: ending.signal,
    });
    started = starting;
    const host = await starting;
    announce(host);
    for (const note of notesOn(config, host)) process.stderr.write(`${note}\n`);
  } catch (error) {
    if (ending.signal.aborted) return;
    if (!(error instanceof AppError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
};

/** Sentences for the person who starts it. */
const notesOn = ({ network, secondRpcUrl }: Config, { engine }: Host): string[] => {
  const wait = engine.context.network.wait();
  return [
    ...(wait === null
      ? []
      : [
          `The network is not reached (${wait.host}: ${wait.why}). The treasury shows its records and can be frozen, and pays nothing. The start goes on by itself once the RPC answers.`,
        ]),
    ...(network === 'sandbox' || secondRpcUrl !== null ? [] : [secondRpcProposed]),
  ];
};

const secondRpcProposed =
  'A single Solana RPC can be down, and can lie. Give --second-rpc the URL of another provider: payments go on when one goes down, and reserved money is released only when both agree.';

const announceToBoth = (host: Host): void => {
  announceAsJson(host);
  if (process.stdout.isTTY) announceInWords(host);
};

const phraseFrom = ({ importPhrase, importPhraseFd }: Config): { phrase?: () => Promise<string> } => {
  if (importPhrase) return { phrase: askPhrase };
  return importPhraseFd === null ? {} : { phrase: () => readPhrase(importPhraseFd) };
};
