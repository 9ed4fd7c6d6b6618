// Others' access to a path on Windows, where modes mean nothing: its access list, read and replaced with icacls. It is
// read as icacls saves it, in SDDL, since what icacls prints has names in the language of the system.
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { runWindowsTool } from './windows-tool.ts';

export interface Opening {
  /** Others who may read it, in words. */
  to: string;
  /** They may change it as well. */
  mayWrite: boolean;
}

/** The system itself, its administrators, and each file's own owner: nobody keeps those out, and root is out of scope. */
const trusted = new Set(['SY', 'BA', 'CO', 'OW', 'S-1-5-18', 'S-1-5-32-544', 'S-1-3-0', 'S-1-3-4']);
const names: Readonly<Record<string, string>> = { WD: 'Everyone', AU: 'Authenticated Users', BU: 'Users' };
const readOnly = new Set([
  'FR',
  'FX',
  'GR',
  'GX',
  'GRGX',
  'GXGR',
  'FRFX',
  '0x1200a9',
  '0x120089',
  '0xa0000000',
]);
const noneAtAll: Opening = { to: 'Everyone', mayWrite: true };

/** Null when this user alone has access. @throws AppError `not_available` when that cannot be determined */
export const openToOnWindows = (path: string): Opening | null => {
  const list = /^D:.*$/m.exec(savedList(path))?.[0];
  if (list === undefined || list.includes('NO_ACCESS_CONTROL')) return noneAtAll;
  const own = ownSid();
  const others = entriesOf(list).filter(({ sid }) => !trusted.has(sid) && !isOwn(sid, own));
  if (others.length === 0) return null;
  return {
    to: [...new Set(others.map(({ sid }) => names[sid] ?? sid))].join(', '),
    mayWrite: others.some(({ rights }) => !readOnly.has(rights)),
  };
};

/** @throws AppError `not_available` when the list could not be replaced, or is not what was asked for */
export const closeOnWindows = (path: string, isFolder: boolean): void => {
  // First without entries of its own: the second command takes away only what is inherited.
  icacls(path, '/reset');
  icacls(path, ...closing(isFolder));
  const left = openToOnWindows(path);
  if (left !== null)
    throw new AppError(
      'not_available',
      `${path} is open to ${left.to}, and stays open: its drive may not keep access lists. ` +
        'Choose a folder on a drive with NTFS, such as one in your user folder.',
    );
};

/** In words that both of its shells take: one has no &&, and the other calls what stands in brackets. */
export const closingCommandOnWindows = (path: string, isFolder: boolean): string =>
  `icacls "${path}" /reset and then: icacls "${path}" ${closing(isFolder)
    .map((word) => (word.startsWith('*') ? `"${word}"` : word))
    .join(' ')}`;

const closing = (isFolder: boolean): string[] => [
  '/inheritance:r',
  '/grant:r',
  `*${ownSid()}:${isFolder ? '(OI)(CI)' : ''}F`,
];

interface Entry {
  rights: string;
  sid: string;
}

/** Those that grant: (type;flags;rights;object;inherited object;SID). */
const entriesOf = (list: string): Entry[] =>
  [...list.matchAll(/\((\w+);([^;)]*);([^;)]*);[^;)]*;[^;)]*;([^;)]*)[^)]*\)/g)].flatMap(
    ([, type = '', , rights = '', sid = '']) => (type.includes('D') ? [] : [{ rights, sid }]),
  );

/** SDDL has a name for the first administrator of a machine. */
const isOwn = (sid: string, own: string): boolean => sid === own || (sid === 'LA' && own.endsWith('-500'));

let knownSid: string | undefined;

const ownSid = (): string => {
  knownSid ??= /S-1-[\d-]+/.exec(runWindowsTool('whoami', ['/user', '/fo', 'csv', '/nh']))?.[0];
  if (knownSid === undefined)
    throw new AppError('not_available', 'whoami did not name this user. Run "whoami /user" to see why.');
  return knownSid;
};

const savedList = (path: string): string => {
  const file = join(tmpdir(), `agent-treasury-${randomUUID()}.acl`);
  try {
    icacls(path, '/save', file);
    return readFileSync(file, 'utf16le').replaceAll('\r', '');
  } finally {
    rmSync(file, { force: true });
  }
};

const icacls = (path: string, ...args: string[]): void => {
  try {
    runWindowsTool('icacls', [path, ...args]);
  } catch (error) {
    throw new AppError(
      'not_available',
      `Windows cannot tell or set who may read ${path}: ${(error as Error).message} ` +
        'Choose a folder of your own on a drive with NTFS.',
      undefined,
      { cause: error },
    );
  }
};
