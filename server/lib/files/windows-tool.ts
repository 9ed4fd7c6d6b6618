// The tools that Windows brings.
import { join } from 'node:path';
import { AppError } from '../../errors.ts';

const withinMs = 20_000;

/** By its full path: Windows would look for the name in the current folder first. */
export const windowsTool = (name: string): string =>
  join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', `${name}.exe`);

/** Loaded when it is needed, on Windows alone: the vault must not be able to start programs anywhere else. */
const programs = () => {
  const found = process.getBuiltinModule?.('node:child_process');
  if (found === undefined)
    throw new AppError('not_available', 'Node 20.16 or later is needed on Windows. Update Node.');
  return found;
};

/** Its output. @throws AppError `not_available` when it cannot be run, or refuses */
export const runWindowsTool = (name: string, args: readonly string[]): string => {
  const { status, stdout, stderr, error } = programs().spawnSync(windowsTool(name), args, {
    encoding: 'utf8',
    windowsHide: true,
    timeout: withinMs,
  });
  if (status === 0) return stdout;
  const why = error?.message ?? (stderr.trim() || `it ended with ${status ?? 'a signal'}`);
  throw new AppError('not_available', `${name} failed: ${why}.`);
};
