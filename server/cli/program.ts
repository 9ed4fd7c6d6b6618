// The `treasury` command: its subcommands and their shared options.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { dataFolderIn, fromHome } from '../lib/files/folders.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { agentsCommands } from './agents/agents.ts';
import { approvalsCommands } from './treasury/approvals.ts';
import { addBackup } from './treasury/backup.ts';
import { addCatalog } from './treasury/catalog.ts';
import { addCold } from './treasury/cold.ts';
import { addPhone } from './treasury/phone.ts';
import type { Add } from './command-row.ts';
import { completionCommands } from './completion.ts';
import { addDelivery } from './payments/delivery.ts';
import { addDoctor } from './doctor.ts';
import { endOf, exitCodeOf, exitCodesText } from './ending.ts';
import { addFetch } from './payments/fetch.ts';
import { addGenerate } from './payments/generate.ts';
import { addModels } from './payments/models.ts';
import { addBooks } from './books/books.ts';
import { addBoost } from './agents/boost.ts';
import { addDelegate } from './agents/delegate.ts';
import { addGroups } from './agents/groups.ts';
import { addRefill } from './agents/refill.ts';
import { addRun, runExitCodesText } from './agents/run.ts';
import { historyCommands } from './payments/history.ts';
import { addKeys } from './agents/keys.ts';
import { addLimits } from './agents/limits.ts';
import { addLink } from './link.ts';
import { addLogin } from './login.ts';
import { addMcp } from './agents/mcp.ts';
import { addNotices } from './treasury/notices.ts';
import { addPublicAddress } from './treasury/public-address.ts';
import { addPay } from './payments/pay.ts';
import { addPayment } from './payments/payment.ts';
import { addPolicy } from './agents/policy.ts';
import { addServices } from './treasury/services.ts';
import { addStanding } from './treasury/standing.ts';
import { addStatus } from './treasury/status.ts';
import { stopCommands } from './treasury/stop.ts';
import { createTerminal, type Io, type Terminal } from './terminal.ts';
import { addTimeZone } from './agents/time-zone.ts';
import { addVerify, verifyExitCodesText } from './books/verify.ts';
import { addWatch } from './treasury/watch.ts';
import { addWithdraw } from './payments/withdraw.ts';

/** Under their headings in --help. */
const parts: Readonly<Record<string, readonly Add[]>> = {
  'Signing in:': [addLogin, addLink],
  'Agents:': [
    ...agentsCommands,
    addPolicy,
    addLimits,
    addBoost,
    addGroups,
    addRefill,
    addTimeZone,
    addKeys,
    addDelegate,
    addMcp,
    addRun,
  ],
  'Payments:': [
    addPay,
    addFetch,
    addGenerate,
    addModels,
    addPayment,
    addDelivery,
    ...historyCommands,
    addWithdraw,
  ],
  'Catalog:': [addServices, addCatalog],
  'Your approval:': [...approvalsCommands, addStanding],
  'Stopping:': [...stopCommands, addWatch],
  'Books:': [addBooks, addVerify],
  'This treasury:': [
    addStatus,
    addCold,
    addPhone,
    addNotices,
    addPublicAddress,
    addBackup,
    addDoctor,
    ...completionCommands,
  ],
};

export interface Program {
  command: Command;
  terminal(): Terminal;
}

export const createProgram = (io: Io): Program => {
  const command = new Command('treasury')
    .description('Controls a treasury: the one on this machine, or the one that it is linked to.')
    .version(packageJson.version)
    .option('--data <folder>', 'the treasury’s data folder (or TREASURY_DATA)', dataFolderIn(io.env, io.home))
    .option('--json', 'print JSON: the result on standard output, notes and errors on standard error', false)
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      outputError: (message, write) => void (terminal().json || write(message)),
    })
    .addHelpText('afterAll', ({ command: one }) =>
      one.name() === 'verify' ? verifyExitCodesText : one.name() === 'run' ? runExitCodesText : exitCodesText,
    )
    .exitOverride();
  const terminal = (): Terminal => {
    const { data, json } = command.opts<{ data: string; json: boolean }>();
    return createTerminal(io, { data: resolve(fromHome(data, io.home)), json });
  };
  for (const [heading, adds] of Object.entries(parts)) {
    command.commandsGroup(heading);
    for (const add of adds) add(command, terminal);
  }
  nameUnknownCommands(command);
  return { command, terminal };
};

/** A word that no subcommand has would otherwise be an argument too many of the one that runs without a word. */
const nameUnknownCommands = (command: Command): void => {
  for (const one of command.commands) {
    nameUnknownCommands(one);
    // Before the options of the subcommand that runs without a word: they would be missing.
    one.hook('preSubcommand', ({ args: [word = ''], commands }, { registeredArguments }) => {
      const isNone = word === '' || word.startsWith('-') || registeredArguments.length > 0;
      if (!isNone && !commands.some((each) => each.name() === word || each.aliases().includes(word)))
        refuseUnknown(one, word);
    });
    one.allowExcessArguments().hook('preAction', (_command, { args, registeredArguments, parent }) => {
      const takesMore = one.commands.length > 0 || registeredArguments.at(-1)?.variadic === true;
      if (takesMore || args.length <= registeredArguments.length) return;
      const [word = ''] = parent?.args ?? [];
      if (parent?.parent != null && word !== one.name() && !word.startsWith('-')) refuseUnknown(parent, word);
      const said = `too many arguments for '${one.name()}'. Expected ${registeredArguments.length} but got ${args.length}.`;
      one.error(`error: ${said}`, { exitCode: 1, code: 'commander.excessArguments' });
    });
  }
};

/** @throws CommanderError */
const refuseUnknown = (command: Command, word: string): never =>
  command.error(`error: unknown command '${word}'. See: ${pathOf(command)} --help`, {
    exitCode: 1,
    code: 'commander.unknownCommand',
  });

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

/** Runs the command and returns its exit code. @throws any error that is a defect */
export const runCommand = async (args: readonly string[], io: Io): Promise<number> => {
  const { command, terminal } = createProgram(io);
  try {
    await command.parseAsync(args, { from: 'user' });
    return exitCodeOf('done');
  } catch (error) {
    return endOf(error, terminal());
  }
};
