// Stop everything and start again: freeze and unfreeze, lock and unlock.
import type { Command } from 'commander';
import { createClient } from '../../client/client.ts';
import { readEndpoint } from '../../client/endpoint.ts';
import { removeToken } from '../../client/terminal-token.ts';
import type { Reply } from '../../contract/schemas.ts';
import { descriptor, readSecret } from '../arguments.ts';
import { confirm, Ending } from '../ending.ts';
import { becomeOwner } from '../login.ts';
import { asOwner } from '../session.ts';
import { inert, moment } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

export const addStop = (program: Command, terminal: () => Terminal): void => {
  program
    .command('freeze')
    .description('stop everything at once')
    .option('--reason <text>', 'why')
    .action(({ reason }: { reason?: string }) => freeze(terminal(), reason));
  program
    .command('unfreeze')
    .description('lift the freeze; asks first')
    .option('--yes', 'you are sure', false)
    .action(({ yes }: { yes: boolean }) => unfreeze(terminal(), yes));
  program
    .command('lock')
    .description('lock the treasury, so that nothing is paid; logs this terminal out')
    .action(() => lock(terminal()));
  program
    .command('unlock')
    .description('unlock the treasury; asks for its passphrase')
    .option('--passphrase-fd <n>', 'read the vault’s passphrase from this file descriptor', descriptor)
    .action(({ passphraseFd }: { passphraseFd?: number }) => unlock(terminal(), readSecret(passphraseFd)));
};

const freeze = async (terminal: Terminal, reason: string | undefined): Promise<void> => {
  const body = reason === undefined ? {} : { reason };
  const frozen = await asOwner(terminal).ask('freeze', { body });
  show(terminal, frozen, () => freezeLines(frozen));
};

const freezeLines = ({ frozen, reason, mayStillLand }: Reply<'freeze'>): string[] => {
  if (!frozen) return ['Not frozen: agents can pay again.'];
  const { payments, amount, until } = mayStillLand;
  return [
    `Frozen: ${inert(reason ?? '')}. Nothing is paid until you unfreeze.`,
    payments === 0
      ? 'Nothing was under way.'
      : `${payments} payments of ${amount} USDC in all were sent before and may still land${until === null ? '' : ` until ${moment(until)}`}.`,
  ];
};

const unfreeze = async (terminal: Terminal, isConfirmed: boolean): Promise<void> => {
  const owner = asOwner(terminal);
  await confirm(terminal, 'Lift the freeze, so that agents can pay again?', isConfirmed);
  const thawed = await owner.ask('unfreeze');
  show(terminal, thawed, () => freezeLines(thawed));
};

const lock = async (terminal: Terminal): Promise<void> => {
  const locked = await asOwner(terminal).ask('lock');
  removeToken(terminal.dataDir);
  show(terminal, locked, () => ['Locked: nothing is paid. This terminal is logged out.']);
};

/** Locking ended every login: the passphrase lets this terminal in again. */
const unlock = async (terminal: Terminal, passphrase: string | undefined): Promise<void> => {
  const anyone = createClient(readEndpoint(terminal.dataDir), null);
  const { passphrase: hasPassphrase } = await anyone.ask('signInMethods');
  const typed = passphrase ?? (hasPassphrase ? await askPassphrase(terminal) : undefined);
  if (hasPassphrase) await becomeOwner(terminal, typed);
  const body = typed === undefined ? {} : { passphrase: typed };
  const unlocked = await asOwner(terminal).ask('unlock', { body });
  show(terminal, unlocked, () => ['Unlocked. This terminal is logged in.']);
};

const askPassphrase = async ({ io }: Terminal): Promise<string> => {
  if (io.ask !== null) return io.ask('Passphrase of the vault: ', { isSecret: true });
  throw new Ending('ownersWord', 'The passphrase is needed. Run it on a terminal, or with --passphrase-fd.');
};
