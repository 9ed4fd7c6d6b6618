// A command of `agent-treasury-paywall`.
import { parseArgs, type ParseArgsConfig } from 'node:util';

export interface Command {
  /** Its first line says what it does, and one that begins with `Usage: agent-treasury-paywall` how to type it. */
  usage: string;
  /** @returns the exit code. @throws UsageError for a wrong command */
  run(args: string[]): number | Promise<number>;
}

/** A command that cannot be read; its message says what is wrong with it. Ends with 2. */
export class UsageError extends Error {}

/** The words of a command. @throws UsageError */
export const readArguments = <T extends ParseArgsConfig>(config: T) => {
  try {
    return parseArgs({ ...config, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

/** The one file that a command names. @throws UsageError */
export const fileIn = (command: string, [file, ...more]: readonly string[]): string => {
  if (file !== undefined && more.length === 0) return file;
  throw new UsageError(`Usage: agent-treasury-paywall ${command} FILE`);
};
