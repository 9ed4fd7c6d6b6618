// Opens a URL in the browser of this machine's user.
import { spawn } from 'node:child_process';
import { windowsTool } from '../lib/files/windows-tool.ts';
import type { Io } from './terminal.ts';

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` would interpret an ampersand in the URL.
  win32: [windowsTool('rundll32'), 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
};

/** Null without a display. */
export const browserOf = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv): Io['browse'] => {
  const opener = openers[platform];
  const isBlind = platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY'];
  if (opener === undefined || isBlind || env['SSH_CONNECTION'] !== undefined) return null;
  const [command, ...args] = opener;
  return (url) => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
    // Ignored: the URL was printed as well.
    child.on('error', () => {});
    child.unref();
  };
};
