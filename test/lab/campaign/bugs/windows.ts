// Bugs of what is other on Windows, and of the doctor, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const ownerOnly = 'server/lib/files/owner-only.ts';
const lists = 'test/lib/folders.test.ts';

export const bugsOfWindows: readonly (Bug & TestTrial)[] = [
  {
    name: 'win01: an access list that was set is not read back',
    edits: one('server/lib/files/access-list.ts', 'if (left !== null)', 'if (left?.to === "")'),
    file: lists,
    title: 'a drive that keeps no lists is refused',
  },
  {
    name: 'win02: a folder of others is closed to them',
    edits: one(ownerOnly, 'if (readdirSync(path).length === 0) return', 'if (readdirSync(path)) return'),
    file: lists,
    title: 'an empty data folder is closed; one with something in it is refused',
  },
  {
    name: 'win03: the data folder stays as open as its drive',
    edits: one('server/host/open.ts', '  makeDataFolder(config.dataDir);\n', ''),
    file: 'test/host/as-windows.test.ts',
    title: 'pays, is killed, and pays on, with every file for this user alone',
  },
  {
    name: 'win04: a new file in an open folder stays open',
    edits: one(
      ownerOnly,
      'if (openTo(folder, platform) !== null) return closeToOthers(path, platform);',
      'openTo(folder, platform);',
    ),
    file: lists,
    title: 'a new file is closed itself where its folder is open',
  },
  {
    name: 'win05: a rename over a file in use is given up at once',
    edits: one('server/lib/files/rename-over.ts', "platform === 'win32' &&", "platform === 'aix' &&"),
    file: 'test/lib/folders.test.ts',
    title: 'is tried again after EBUSY on Windows',
  },
  {
    name: 'win06: a lost root key that the doctor does not see',
    edits: one('server/vault/stored-root.ts', "(await roots.read(identity)) ? 'there'", "roots ? 'there'"),
    file: 'test/cli/doctor.test.ts',
    title: 'has lost its root key, or it was damaged',
  },
];
