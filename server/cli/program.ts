// The `treasury` command: its subcommands and their shared options.
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { addAgents } from './agents.ts';
import { addApprovals } from './approvals.ts';
import { addBackup } from './backup.ts';
import { addCatalog } from './catalog.ts';
import { addDoctor } from './doctor.ts';
import { endOf, exitCodes, exitCodesText } from './ending.ts';
import { addFetch } from './fetch.ts';
import { addHistory } from './history.ts';
import { addLink } from './link.ts';
import { addMcp } from './mcp.ts';
import { addPay } from './pay.ts';
import { addPolicy } from './policy.ts';
import { addStatus } from './status.ts';
import { addStop } from './stop.ts';
import { createTerminal, type Io, type Terminal } from './terminal.ts';
import { addLogin } from './login.ts';

/** Adds subcommands. `terminal` is a function since it depends on the parsed arguments. */
type Add = (program: Command, terminal: () => Terminal) => void;

const parts: readonly Add[] = [
  addLogin,
  addLink,
  addStatus,
  addAgents,
  addPolicy,
  addStop,
  addApprovals,
  addPay,
  addFetch,
  addHistory,
  addCatalog,
  addBackup,
  addMcp,
  addDoctor,
];

/** Runs the command and returns its exit code. @throws any error that is a defect */
export const runCommand = async (args: readonly string[], io: Io): Promise<number> => {
  const program = new Command('treasury')
    .description('Talks to the treasury that runs on this machine.')
    .version(packageJson.version)
    .option(
      '--data <folder>',
      'the treasury’s data folder (or TREASURY_DATA)',
      io.env['TREASURY_DATA'] ?? join(io.home, '.agent-treasury'),
    )
    .option('--json', 'print one JSON document instead of text', false)
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .addHelpText('afterAll', exitCodesText)
    .exitOverride();
  const terminal = (): Terminal => {
    const { data, json } = program.opts<{ data: string; json: boolean }>();
    return createTerminal(io, { data: resolve(data), json });
  };
  for (const add of parts) add(program, terminal);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    return endOf(error, io.err);
  }
};
