// The operating system's keychain: Keychain on macOS, Credential Manager on Windows, Secret Service on Linux.
import { AsyncEntry } from '@napi-rs/keyring';
import { reachesKeychain, startInSession } from '../lib/session-bus.ts';
import { refuse } from './errors.ts';

export interface Keychain {
  /** The item's text, or undefined when there is none. @throws AppError `locked` (reason `keychain`) */
  read(account: string): Promise<string | undefined>;
  /** @throws AppError `locked` (reason `keychain`) */
  write(account: string, text: string): Promise<void>;
}

const SERVICE = 'agent-treasury';
// The owner may be typing the keychain's password into a dialog; without a dialog some daemons never answer.
const ANSWER_MS = 120_000;

/**
 * This machine's keychain. On Linux it is pinned to the Secret Service: the library would otherwise fall back to the
 * kernel's keyring, which lives in memory and loses the keys at a reboot.
 */
export const createKeychain = (): Keychain => ({
  read: (account) =>
    answered(async () => {
      const secret = await entry(account).getSecret();
      return secret ? Buffer.from(secret).toString() : undefined;
    }),
  write: (account, text) => answered(() => entry(account).setSecret(Buffer.from(text))),
});

const entry = (account: string): AsyncEntry =>
  new AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' } });

const answered = async <T>(ask: () => Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not answer')), ANSWER_MS);
  });
  try {
    return await Promise.race([ask(), silence]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw refuse('keychain', `The system's keychain cannot be used: ${why}. ${nextStep()}`, error);
  } finally {
    clearTimeout(timer);
  }
};

const nextStep = (): string => {
  if (process.platform !== 'linux') return 'Unlock it: log in to this machine’s desktop.';
  return reachesKeychain(process.env, process.platform)
    ? `Unlock it: log in to this machine’s desktop. Over ssh, or on a server: ${startInSession}`
    : `This session does not reach it. ${startInSession}`;
};
