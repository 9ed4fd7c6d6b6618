// The only URL that is ever opened in a browser: a transaction in a block explorer.
import type { Shell } from 'electron';
import { AppError, fieldError } from '../server/errors.ts';
import type { Network } from './settings.ts';

const signaturePattern = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
const explorer = 'https://explorer.solana.com';

/** @throws AppError `not_available` on the sandbox, `bad_request` for an invalid signature */
export const explorerUrl = (signature: string, network: Network): string => {
  if (network === 'sandbox') {
    throw new AppError(
      'not_available',
      'The sandbox’s chain is on this machine alone: no explorer knows it.',
    );
  }
  if (!signaturePattern.test(signature)) throw fieldError('signature', 'is none');
  return `${explorer}/tx/${signature}${network === 'mainnet' ? '' : `?cluster=${network}`}`;
};

const isAllowed = (url: string): boolean => {
  const { origin, username, password } = new URL(url);
  return origin === explorer && username === '' && password === '';
};

export const openExplorer = async (
  shell: Pick<Shell, 'openExternal'>,
  signature: string,
  network: Network,
): Promise<void> => {
  const url = explorerUrl(signature, network);
  if (!isAllowed(url)) throw new AppError('forbidden', 'This address is not opened.');
  await shell.openExternal(url);
};
