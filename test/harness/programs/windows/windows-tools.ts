// The tools by which Windows tells and sets who may read a file. On Windows they are its own; elsewhere programs that
// play them, with the output that is documented, over a drive whose folders are open to every user of the machine.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const everyone = '*S-1-1-0';
export const played = 'S-1-5-21-1004336348-1177238915-682003330-1001';
/** As the root of a second drive has it after its installation. */
const openDrive = [
  '(A;OICI;FA;;;BA)',
  '(A;OICI;FA;;;SY)',
  '(A;OICI;0x1301bf;;;AU)',
  '(A;OICI;0x1200a9;;;BU)',
];

export interface WindowsTools {
  /** For the process that is to use them. */
  env: { SystemRoot?: string; ACL_STATE?: string; TEMP?: string };
  icacls(...args: string[]): string;
  /** A program that listens on a port. Nothing where the tools are real. */
  playPort(port: number, holder: { name: string; pid: number }): void;
  /** A drive that takes every list and keeps none, such as one with FAT. False where that cannot be played. */
  deafen(): boolean;
}

/** @param folder an empty one, for the programs */
export const windowsTools = (folder: string): WindowsTools => {
  const isReal = process.platform === 'win32';
  const root = isReal ? (process.env['SystemRoot'] ?? 'C:\\Windows') : folder;
  const state = join(folder, 'lists.json');
  const env = isReal ? {} : { SystemRoot: root, ACL_STATE: state, TEMP: tmpdir() };
  if (!isReal) install(root, state);
  return {
    env,
    icacls: (...args) =>
      execFileSync(join(root, 'System32', 'icacls.exe'), args, {
        env: { ...process.env, ...env },
        encoding: 'utf8',
      }),
    playPort(port, { name, pid }) {
      if (isReal) return;
      const line = `  TCP    127.0.0.1:${port}         0.0.0.0:0              ABH\u00D6REN         ${pid}`;
      program(join(root, 'System32', 'netstat.exe'), `printf '%s\\r\\n' '' '${line}'`);
      program(
        join(root, 'System32', 'tasklist.exe'),
        `printf '%s\\r\\n' '"${name}","${pid}","Console","1","9 K"'`,
      );
    },
    deafen() {
      if (isReal) return false;
      writeFileSync(state, JSON.stringify({ ...JSON.parse(readFileSync(state, 'utf8')), isDeaf: true }));
      return true;
    },
  };
};

const install = (root: string, state: string): void => {
  const icacls = fileURLToPath(new URL('icacls.mjs', import.meta.url));
  mkdirSync(join(root, 'System32'), { recursive: true });
  program(join(root, 'System32', 'icacls.exe'), `exec '${process.execPath}' '${icacls}' "$@"`);
  program(join(root, 'System32', 'whoami.exe'), `printf '"%s","%s"\\r\\n' 'desk\\me' ${played}`);
  writeFileSync(state, JSON.stringify({ drive: openDrive, lists: {} }));
};

const program = (file: string, line: string): void => {
  writeFileSync(file, `#!/bin/sh\n${line}\n`);
  chmodSync(file, 0o755);
};
