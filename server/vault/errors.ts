// How the vault refuses. `details.reason` tells a program which reason is behind a code.
import { AppError, type ErrorCode } from '../errors.ts';

const codeOfReason = {
  no_vault: 'conflict',
  root_held: 'conflict',
  other_root: 'conflict',
  other_network: 'conflict',
  seal: 'conflict',
  sandbox_generates: 'forbidden',
  wrong_passphrase: 'forbidden',
  passphrase_required: 'bad_request',
  passphrase_too_short: 'bad_request',
  no_passphrase: 'bad_request',
  protection: 'bad_request',
  // The keys are not available.
  locked: 'locked',
  root_missing: 'locked',
  damaged: 'locked',
  keychain: 'locked',
} as const satisfies Record<string, ErrorCode>;

type VaultReason = keyof typeof codeOfReason;

export const refuse = (reason: VaultReason, message: string, cause?: unknown): AppError =>
  new AppError(codeOfReason[reason], message, { reason }, cause === undefined ? undefined : { cause });

export const isRefusal = (error: unknown, reason: VaultReason): boolean =>
  error instanceof AppError && error.details?.['reason'] === reason;
