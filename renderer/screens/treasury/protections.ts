// How the signing keys are protected against theft of the disk.
import type { Reply } from '../../../server/contract/schemas.ts';

type Protection = Reply<'about'>['protection'];

export const protections: Record<Protection, { text: string; hasPassphrase: boolean }> = {
  keychain: {
    text: 'The keys are in your system’s keychain. They open with your login to this machine.',
    hasPassphrase: false,
  },
  'keychain+seal': {
    text: 'The keys are in your system’s keychain, sealed once more with your passphrase.',
    hasPassphrase: true,
  },
  'passphrase-file': {
    text: 'The keys are in a file that is encrypted with your passphrase.',
    hasPassphrase: true,
  },
  'key-file': {
    text: 'This is a sandbox: its keys are in a file that only you can read. They protect no real money.',
    hasPassphrase: false,
  },
};
