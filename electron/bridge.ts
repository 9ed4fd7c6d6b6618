// The command with which an MCP host starts an agent's bridge. Our fuses keep this program from running as Node, so the
// bridge and the command are separate executables. They are copied beside the data: a path there outlives an update or
// a moved AppImage.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { renameOver } from '../server/lib/files/rename-over.ts';

interface Programs {
  bridge: { command: string; args: readonly string[] };
  /** The words that start `treasury`; missing in a checkout, whose host knows them. */
  terminal?: readonly string[];
}

interface BridgeDeps {
  isPackaged: boolean;
  resourcesPath: string;
  dataDir: string;
  /** The root folder of the checkout. */
  root: string;
  platform: NodeJS.Platform;
}

export const installPrograms = ({
  isPackaged,
  resourcesPath,
  dataDir,
  root,
  platform,
}: BridgeDeps): Programs => {
  const suffix = platform === 'win32' ? '.exe' : '';
  if (!isPackaged) {
    const node = join(root, 'node_modules', 'node', 'bin', `node${suffix}`);
    const preload = pathToFileURL(join(root, 'build', 'preload.mjs')).href;
    const bridge = { command: node, args: ['--import', preload, join(root, 'server', 'mcp', 'main.ts')] };
    return { bridge };
  }
  const folder = join(dataDir, 'bin');
  copyBelow(join(resourcesPath, 'bin'), folder);
  const fileOf = (name: string): string => join(folder, `${name}${suffix}`);
  return { bridge: { command: fileOf('treasury-mcp'), args: [] }, terminal: [fileOf('treasury')] };
};

/** A running executable cannot be overwritten, but it can be replaced. */
const copyBelow = (from: string, to: string): void => {
  if (!existsSync(from)) return;
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    const target = join(to, name);
    if (isCopyOf(source, target)) continue;
    copyFileSync(source, `${target}.new`);
    chmodSync(`${target}.new`, 0o700);
    const { atime, mtime } = statSync(source);
    utimesSync(`${target}.new`, atime, mtime);
    renameOver(`${target}.new`, target);
  }
};

/** Compares size and time, since reading a hundred megabytes at each start would be slow. */
const isCopyOf = (source: string, target: string): boolean => {
  if (!existsSync(target)) return false;
  const [from, to] = [statSync(source), statSync(target)];
  return from.size === to.size && Math.abs(from.mtimeMs - to.mtimeMs) < 2;
};
