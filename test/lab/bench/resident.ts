// A process's resident memory in MB; null where it cannot be read.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export const residentMb = (pid: number): number | null => {
  if (process.platform === 'win32') return null;
  if (process.platform !== 'linux') {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
  }
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
};
