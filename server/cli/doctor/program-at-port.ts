// The program that listens on a port of this machine, as far as this user may know.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { runWindowsTool } from '../../lib/files/windows-tool.ts';

interface Holder {
  name: string;
  pid: number;
}

/** Null when it cannot be determined. */
export const programAt = (port: number, platform: NodeJS.Platform): Holder | null => {
  try {
    if (platform === 'linux') return onLinux(port);
    if (platform === 'win32') return onWindows(port);
    return byLsof(port);
  } catch {
    return null;
  }
};

/** The kernel lists sockets by their numbers, and each process its own. */
const onLinux = (port: number): Holder | null => {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const listening = new RegExp(`^ *\\d+: [0-9A-F]+:${hex} [0-9A-F:]+ 0A(?: +\\S+){5} +(\\d+)`, 'm');
  const sockets = ['tcp', 'tcp6'].flatMap(
    (kind) => listening.exec(readFileSync(`/proc/net/${kind}`, 'utf8'))?.[1] ?? [],
  );
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    if (sockets.some((socket) => holds(pid, socket)))
      return { name: basename(readlinkSync(`/proc/${pid}/exe`)), pid: Number(pid) };
  return null;
};

const holds = (pid: string, socket: string): boolean => {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((fd) => readlinkSync(`${folder}/${fd}`) === `socket:[${socket}]`);
  } catch {
    // Another user's process, or one that has just ended.
    return false;
  }
};

/** The words of netstat are in the language of the system; only what listens has no address at the other end. */
const onWindows = (port: number): Holder | null => {
  const line = new RegExp(`^ *TCP +\\S+:${port} +(?:0\\.0\\.0\\.0|\\[::\\]):0 .* (\\d+)\\r?$`, 'm');
  const pid = line.exec(runWindowsTool('netstat', ['-ano']))?.[1];
  if (pid === undefined) return null;
  const listed = runWindowsTool('tasklist', ['/fi', `PID eq ${pid}`, '/fo', 'csv', '/nh']);
  const name = /^"([^"]+)"/.exec(listed.trim())?.[1];
  return name === undefined ? null : { name, pid: Number(pid) };
};

/** macOS has it at the first path, Debian at the second. */
const byLsof = (port: number): Holder | null => {
  const lsof = ['/usr/sbin/lsof', '/usr/bin/lsof'].find((path) => existsSync(path));
  if (lsof === undefined) return null;
  const { stdout } = spawnSync(lsof, ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], {
    encoding: 'utf8',
  });
  const [pid, name] = [/^p(\d+)$/m.exec(stdout)?.[1], /^c(.+)$/m.exec(stdout)?.[1]];
  return pid === undefined || name === undefined ? null : { name, pid: Number(pid) };
};
