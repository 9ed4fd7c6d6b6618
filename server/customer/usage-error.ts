import { parseArgs, type ParseArgsConfig } from 'node:util';

/** A command that cannot be read; its message says what is wrong with it. */
export class UsageError extends Error {}

/** The words of a command. @throws UsageError */
export const readArguments = <T extends ParseArgsConfig>(config: T) => {
  try {
    return parseArgs({ ...config, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};
