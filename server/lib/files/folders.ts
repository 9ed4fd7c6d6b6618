// Folders and files that settings name. No shell has read what stands in a unit file, a JSON file or between quotes.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** The path as a shell reads it: a tilde before a slash, or alone, is the home folder. */
export const fromHome = (path: string, home = homedir()): string =>
  /^~(?:[\\/]|$)/.test(path) ? join(home, path.slice(1)) : path;

/** @param env its TREASURY_DATA names the folder; empty counts as not set */
export const dataFolderIn = (env: Env, home = homedir()): string =>
  fromHome(env['TREASURY_DATA'] || join(home, '.agent-treasury'), home);

/** An empty or relative value counts as not set: https://specifications.freedesktop.org/basedir-spec/latest/ */
export const xdgConfigHome = (env: Env, home = homedir()): string => {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  return isAbsolute(given) ? given : join(home, '.config');
};

/** The platform's folder for the settings of one user's programs. */
export const applicationData = (env: Env, platform: NodeJS.Platform, home: string): string => {
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return xdgConfigHome(env, home);
};
