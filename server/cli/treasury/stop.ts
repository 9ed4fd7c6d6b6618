// Stop everything and start again: freeze and unfreeze, lock and unlock.
import { createClient } from '../../client/client.ts';
import { readEndpoint } from '../../client/endpoint.ts';
import { removeToken } from '../../client/terminal-token.ts';
import type { Reply } from '../../contract/schemas.ts';
import { descriptor, readSecret } from '../arguments.ts';
import { command, ownerCommand } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { becomeOwner } from '../login.ts';
import { asOwner } from '../session.ts';
import { endedLines, inert, moment } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

const freezeLines = ({ frozen, reason, mayStillLand }: Reply<'unfreeze'>): string[] => {
  if (!frozen) return ['Not frozen: agents can pay again.'];
  const { payments, amount, until } = mayStillLand;
  return [
    `Frozen: ${inert(reason ?? '')}. Nothing is paid until you unfreeze.`,
    payments === 0
      ? 'Nothing was under way.'
      : `${payments} payments of ${amount} USDC in all were sent before and may still land${until === null ? '' : ` until ${moment(until)}`}.`,
  ];
};

export const stopCommands = [
  ownerCommand('freeze', {
    about: 'stop everything at once',
    examples: ['treasury freeze', 'treasury freeze --reason "the invoices look wrong"'],
    options: { reason: ['text', 'why'] },
    ask: (owner, body) => owner.ask('freeze', { body }),
    show: (frozen) => [...freezeLines(frozen), ...endedLines(frozen.ended)],
  }),
  ownerCommand('unfreeze', {
    about: 'lift the freeze; asks first',
    examples: ['treasury unfreeze'],
    confirm: () => 'Lift the freeze, so that agents can pay again?',
    ask: (owner) => owner.ask('unfreeze'),
    show: freezeLines,
  }),
  ownerCommand('lock', {
    about: 'lock the treasury, so that nothing is paid; logs this terminal out',
    examples: ['treasury lock'],
    async ask(owner, _, { dataDir }) {
      const locked = await owner.ask('lock');
      removeToken(dataDir);
      return locked;
    },
    show: () => ['Locked: nothing is paid. This terminal is logged out.'],
  }),
  command('unlock', {
    about: 'unlock the treasury; asks for its passphrase',
    examples: ['treasury unlock', 'treasury unlock --passphrase-fd 3 3< passphrase.txt'],
    options: {
      passphraseFd: ['n', 'read the vault’s passphrase from this file descriptor', descriptor],
    },
    run: (terminal, { passphraseFd }) => unlock(terminal, readSecret(passphraseFd)),
  }),
];

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
