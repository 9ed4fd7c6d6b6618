// `treasury login`: shows a code, waits until the owner has compared it and let this terminal in.
import { createClient } from '../client/client.ts';
import { readEndpoint } from '../client/endpoint.ts';
import { writeToken } from '../client/terminal-token.ts';
import { AppError } from '../errors.ts';
import type { Terminal } from './terminal.ts';

const pollMs = 1_000;

interface LoginOptions extends Terminal {
  /** What the owner is shown. */
  terminal: string;
  passphrase: string | undefined;
}

/** @throws AppError when the owner refuses, does not answer, or the treasury does not run */
export const logIn = async ({ dataDir, json, print, terminal, passphrase }: LoginOptions): Promise<void> => {
  const client = createClient(readEndpoint(dataDir), null);
  const body = { terminal, ...(passphrase === undefined ? {} : { passphrase }) };
  const { loginId, code, pollSecret, status } = await client.ask('openLogin', { body });
  if (status === 'pending' && !json) {
    print(`Code: ${code}`);
    print('Open the treasury, Approvals, and let this terminal in if the code there is the same.');
  }
  for (;;) {
    const login = await client.ask('claimLogin', { params: { loginId }, body: { pollSecret } });
    if (login.token !== null && login.tokenExpiresAt !== null) {
      const file = writeToken(dataDir, { token: login.token, expiresAt: login.tokenExpiresAt });
      print(
        json
          ? JSON.stringify({ status: 'granted', expiresAt: login.tokenExpiresAt, file })
          : `You are in until ${new Date(login.tokenExpiresAt).toLocaleTimeString()}.`,
      );
      return;
    }
    if (login.status === 'denied') throw new AppError('forbidden', 'The owner refused.');
    if (login.status === 'expired') throw new AppError('forbidden', 'Nobody answered within ten minutes.');
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
};
