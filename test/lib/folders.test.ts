// Folders and files: paths that no shell has read, who may read a path, by modes and by the access lists of Windows, and
// renaming over a file that another program has open, which Windows refuses for as long.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { readIdentity } from '../../server/client/identity.ts';
import { readConfig } from '../../server/config.ts';
import { dataFolderIn, fromHome, xdgConfigHome } from '../../server/lib/files/folders.ts';
import {
  closeNewFile,
  closeToOthers,
  closingCommand,
  makeDataFolder,
  makePrivateFolder,
  openTo,
} from '../../server/lib/files/owner-only.ts';
import { renameOver, renameOverLater } from '../../server/lib/files/rename-over.ts';
import { useFolders } from '../harness/folders.ts';
import { everyone, windowsTools, type WindowsTools } from '../harness/programs/windows/windows-tools.ts';

const folder = useFolders();

describe('a path', () => {
  it.each([
    ['~', '/home/ada'],
    ['~/treasury', '/home/ada/treasury'],
    ['/srv/~/x', '/srv/~/x'],
    ['~treasury', '~treasury'],
    ['a~/b', 'a~/b'],
  ])('%s is read as a shell reads it', (path, read) => {
    expect(fromHome(path, '/home/ada')).toBe(join(read));
  });
});

describe('the data folder', () => {
  const usual = readConfig([], {}).dataDir;

  it('is the usual one where TREASURY_DATA is empty, and never the working folder', () => {
    expect(dataFolderIn({ TREASURY_DATA: '' }, '/home/ada')).toBe(join('/home/ada/.agent-treasury'));
    expect(readConfig([], { TREASURY_DATA: '' }).dataDir).toBe(usual);
  });

  it('may be named below the home folder, by the option and by the variable', () => {
    expect(readConfig(['--data', '~/.agent-treasury'], {}).dataDir).toBe(usual);
    expect(readConfig([], { TREASURY_DATA: '~/.agent-treasury' }).dataDir).toBe(usual);
  });
});

it.each(['', 'relative'])('passes over XDG_CONFIG_HOME=%s', (value) => {
  expect(xdgConfigHome({ XDG_CONFIG_HOME: value }, '/home/ada')).toBe(join('/home/ada/.config'));
});

const openFolder = (): string => {
  const path = join(folder(), 'data');
  mkdirSync(path, { mode: 0o755 });
  return path;
};

it.skipIf(process.platform === 'win32').each([
  [0o700, null],
  [0o744, { to: 'others', mayWrite: false }],
  [0o702, { to: 'others', mayWrite: true }],
])('what a folder of mode %o lets others do, and its end (POSIX alone)', (mode, opening) => {
  const path = folder();
  chmodSync(path, mode);
  expect(openTo(path)).toEqual(opening);
  closeToOthers(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

describe.skipIf(process.platform === 'win32')('a folder that cannot be used (POSIX alone)', () => {
  it.each([
    ['a file', (path: string) => writeFileSync(path, ''), '', 'it is a file'],
    [
      'a path through a file',
      (path: string) => writeFileSync(path, ''),
      'data',
      'a part of its path is a file',
    ],
    [
      'a link to a disk that is not there',
      (path: string) => symlinkSync(`${path}-absent`, path),
      'data',
      'a part of its path does not exist',
    ],
  ])('is named with its reason: %s', (_what, make, below, reason) => {
    const place = join(folder(), 'place');
    make(place);
    const path = join(place, below);
    const told = expect.objectContaining({
      code: 'not_available',
      message: `The folder ${path} cannot be used: ${reason}. Mend that, or name another data folder with --data.`,
    });
    expect(() => makeDataFolder(path)).toThrow(told);
    expect(() => makePrivateFolder(path)).toThrow(told);
  });
});

describe('on Windows', () => {
  let tools: WindowsTools;
  beforeEach(() => {
    tools = windowsTools(folder());
    for (const [name, value] of Object.entries(tools.env)) vi.stubEnv(name, value);
  });

  it('a folder is open to those whom its drive lets in, until it is closed, and so is what is made in it', () => {
    const path = openFolder();
    tools.icacls(path, '/grant', `${everyone}:(OI)(CI)R`);
    expect(openTo(path, 'win32')).toMatchObject({ to: expect.stringContaining('S-1-1-0') });
    closeToOthers(path, 'win32');
    expect(openTo(path, 'win32')).toBeNull();
    const inside = join(path, 'vault.key');
    writeFileSync(inside, 'secret');
    expect(openTo(inside, 'win32')).toBeNull();
  });

  it('names those who may read, and says whether they may write', () => {
    const path = openFolder();
    makePrivateFolder(path, 'win32');
    tools.icacls(path, '/grant', `${everyone}:(OI)(CI)R`);
    expect(openTo(path, 'win32')).toEqual({ to: expect.stringMatching(/Everyone|S-1-1-0/), mayWrite: false });
    tools.icacls(path, '/grant:r', `${everyone}:(OI)(CI)F`);
    expect(openTo(path, 'win32')).toMatchObject({ mayWrite: true });
  });

  it('a new file is closed itself where its folder is open', () => {
    const path = openFolder();
    tools.icacls(path, '/grant', `${everyone}:(OI)(CI)R`);
    const file = join(path, 'key');
    writeFileSync(file, '');
    closeNewFile(file, 'win32');
    expect(openTo(file, 'win32')).toBeNull();
    expect(openTo(path, 'win32')).not.toBeNull();
  });

  it('an empty data folder is closed; one with something in it is refused with the command, which closes it', () => {
    const path = openFolder();
    tools.icacls(path, '/grant', `${everyone}:(OI)(CI)R`);
    makeDataFolder(path, 'win32');
    expect(openTo(path, 'win32')).toBeNull();

    const other = openFolder();
    tools.icacls(other, '/grant', `${everyone}:(OI)(CI)R`);
    writeFileSync(join(other, 'holiday.jpg'), '');
    const command = closingCommand(other, 'win32');
    expect(() => makeDataFolder(other, 'win32')).toThrow(`Close it with: ${command}`);
    for (const part of command.split(' and then: ')) {
      const [, , ...options] = part.replaceAll('"', '').split(' ');
      tools.icacls(other, ...options);
    }
    makeDataFolder(other, 'win32');
    expect(openTo(join(other, 'holiday.jpg'), 'win32')).toBeNull();
  });

  it('a drive that keeps no lists is refused', (test) => {
    const path = openFolder();
    if (!tools.deafen()) test.skip('a drive without access lists cannot be played on Windows');
    expect(() => makeDataFolder(path, 'win32')).toThrow(/is open to .*Choose a folder on a drive with NTFS/);
  });

  it('a path that cannot be asked about counts as no protection', (test) => {
    const path = openFolder();
    if (process.platform === 'win32') test.skip('the tools of Windows cannot be taken away');
    vi.stubEnv('SystemRoot', '/nonexistent');
    expect(() => openTo(path, 'win32')).toThrow(/Windows cannot tell or set who may read .*icacls/);
  });

  it('a key file that others may read gives no key', () => {
    const path = openFolder();
    const file = join(path, 'key');
    writeFileSync(file, 'tk_1');
    tools.icacls(file, '/grant', `${everyone}:R`);
    const env = { ...process.env, TREASURY_AGENT_ID: 'scout', TREASURY_API_KEY_FILE: file };
    expect(() => readIdentity(env, 'win32')).toThrow(/can be read by .*: icacls "/);
    closeToOthers(file, 'win32');
    expect(readIdentity(env, 'win32')).toEqual({ agentId: 'scout', apiKey: 'tk_1' });
  });
});

const twoFiles = () => {
  const [from, to] = [join(folder(), 'new'), join(folder(), 'old')];
  writeFileSync(from, 'new');
  writeFileSync(to, 'old');
  return { from, to };
};

/** Refuses so many times as Windows does, and then renames. */
const refusing = (code: string, times: number) => {
  let left = times;
  return (...[from, to]: Parameters<typeof renameSync>): void => {
    if (left > 0) {
      left -= 1;
      throw Object.assign(new Error('refused'), { code });
    }
    renameSync(from, to);
  };
};

describe.each([
  ['at once', async (...given: Parameters<typeof renameOver>) => renameOver(...given)],
  [
    'without blocking',
    (from: string, to: string, how: NonNullable<Parameters<typeof renameOver>[2]>) =>
      renameOverLater(from, to, { ...how, renames: async (...paths) => how.renames(...paths) }),
  ],
] as const)('a file renamed over another %s', (_, rename) => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])('is tried again after %s on Windows', async (code) => {
    const { from, to } = twoFiles();
    await rename(from, to, { platform: 'win32', renames: refusing(code, 3) });
    expect(readFileSync(to, 'utf8')).toBe('new');
    expect(existsSync(from)).toBe(false);
  });

  it.each([
    ['EPERM', 'linux'],
    ['ENOENT', 'win32'],
  ] as const)('is not tried again after %s on %s', async (code, platform) => {
    const { from, to } = twoFiles();
    await expect(rename(from, to, { platform, renames: refusing(code, 1) })).rejects.toThrow('refused');
    expect(readFileSync(to, 'utf8')).toBe('old');
  });

  it('is given up in the end, with both files as they were', async () => {
    const { from, to } = twoFiles();
    const renames = refusing('EBUSY', Infinity);
    await expect(rename(from, to, { platform: 'win32', renames })).rejects.toThrow('refused');
    expect([readFileSync(from, 'utf8'), readFileSync(to, 'utf8')]).toEqual(['new', 'old']);
  });
});
