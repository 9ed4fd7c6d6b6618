// Paths that no shell has read, and variables that are set and empty.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { dataFolderIn, fromHome, xdgConfigHome } from '../../server/lib/files/folders.ts';

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
