// How another program starts this one again, from any folder.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface StartedBy {
  command: string;
  args: string[];
}

/** @param words the arguments; default: those of this process */
export const thisProgram = (
  words?: readonly string[],
  { execPath, execArgv, argv }: Pick<NodeJS.Process, 'execPath' | 'execArgv' | 'argv'> = process,
): StartedBy => {
  const [, script, ...rest] = argv;
  const args = words ?? rest;
  // A single executable repeats its own path where a script's would be.
  const isExecutable = script === undefined || script === execPath;
  return {
    command: execPath,
    args: isExecutable ? [...args] : [...execArgv.map(absolute), resolve(script), ...args],
  };
};

const absolute = (option: string): string =>
  /^\.\.?[/\\]/.test(option) ? pathToFileURL(resolve(option)).href : option;
