// `treasury login`: shows a code and waits until the owner has compared it and let this terminal in.
import { hostname, userInfo } from 'node:os';
import { createClient } from '../client/client.ts';
import { readEndpoint } from '../client/endpoint.ts';
import { writeToken } from '../client/terminal-token.ts';
import { AppError } from '../errors.ts';
import { descriptor, readSecret } from './arguments.ts';
import { command } from './command-row.ts';
import { sayOf, show, type Terminal } from './terminal.ts';

const pollMs = 1_000;

export const addLogin = command('login', {
  about: 'ask the owner to give this terminal full access for 15 minutes',
  examples: ['treasury login', 'treasury login --passphrase-fd 3 3< passphrase.txt  # on a headless host'],
  options: {
    passphraseFd: ['n', 'on a headless host: be the owner by the vault’s passphrase', descriptor],
  },
  async run(terminal, { passphraseFd }) {
    const { expiresAt, file } = await becomeOwner(terminal, readSecret(passphraseFd));
    show(terminal, { status: 'granted', expiresAt, file }, () => [
      `Logged in until ${new Date(expiresAt).toLocaleTimeString()}.`,
    ]);
  },
});

/**
 * Leaves the token in its file.
 * @throws AppError when the owner refuses or does not answer, or the treasury is not running
 */
export const becomeOwner = async (
  terminal: Terminal,
  passphrase: string | undefined,
): Promise<{ expiresAt: string; file: string }> => {
  const endpoint = readEndpoint(terminal.dataDir);
  const client = createClient(endpoint, null);
  const named = `${userInfo().username} on ${hostname()}`;
  const body = { terminal: named, ...(passphrase === undefined ? {} : { passphrase }) };
  const { loginId, code, pollSecret, status } = await client.ask('openLogin', { body });
  if (status === 'pending') {
    const say = sayOf(terminal);
    say(`Code: ${code}`);
    say(`Open Approvals in the dashboard (${endpoint.url}), and allow this terminal if the codes match.`);
  }
  for (;;) {
    const login = await client.ask('claimLogin', { params: { loginId }, body: { pollSecret } });
    if (login.token !== null && login.tokenExpiresAt !== null) {
      const { token, tokenExpiresAt: expiresAt } = login;
      return { expiresAt, file: writeToken(terminal.dataDir, { token, expiresAt }) };
    }
    if (login.status === 'denied') throw new AppError('forbidden', 'The owner declined.');
    if (login.status === 'expired')
      throw new AppError('forbidden', 'Nobody answered within ten minutes. Run `treasury login` again.');
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
};
