// Plays icacls, as documented, over a file of lists: /save, /reset, /inheritance:r, /grant:r, /grant. What a file inherits
// is worked out at each question. ACL_STATE names the file; its `drive` is the list of the drive's root.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

const [path, ...args] = process.argv.slice(2);
const state = JSON.parse(readFileSync(process.env['ACL_STATE'], 'utf8'));
const own = (state.lists[path] ??= { isProtected: false, entries: [] });

const flagsOf = (entry) => entry.split(';')[1];
const sidOf = (entry) => entry.split(';')[5].replace(')', '');
const inherited = (at) => {
  if (dirname(at) === at) return state.drive;
  const above = dirname(at);
  return effective(above).filter((entry) => flagsOf(entry).includes('OI'));
};
const effective = (at) => {
  const { isProtected, entries } = state.lists[at] ?? { isProtected: false, entries: [] };
  return isProtected ? entries : [...entries, ...inherited(at)];
};
/** `*SID:(OI)(CI)F` as an entry. */
const granted = (text) => {
  const [, sid, flags, right] = /^\*(S-[\d-]+):((?:\(\w+\))*)(\w+)$/.exec(text);
  const rights = { F: 'FA', R: 'FR' }[right];
  return `(A;${flags.replaceAll(/[()]/g, '')};${rights};;;${sid})`;
};

if (!existsSync(path)) {
  process.stderr.write(`${path}: The system cannot find the file specified.\n`);
  process.exit(2);
}
for (let at = 0; at < args.length; at += 1) {
  const option = args[at];
  if (option === '/save') {
    const list = `${basename(path)}\r\nD:${own.isProtected ? 'PAI' : 'AI'}${effective(path).join('')}\r\n`;
    writeFileSync(args[(at += 1)], Buffer.from(list, 'utf16le'));
  } else if (state.isDeaf) {
    // A drive that keeps no lists.
  } else if (option === '/reset') {
    Object.assign(own, { isProtected: false, entries: [] });
  } else if (option === '/inheritance:r') {
    own.isProtected = true;
  } else if (option === '/grant:r' || option === '/grant') {
    const entry = granted(args[(at += 1)]);
    if (option === '/grant:r') own.entries = own.entries.filter((one) => sidOf(one) !== sidOf(entry));
    own.entries.push(entry);
  }
}
writeFileSync(process.env['ACL_STATE'], JSON.stringify(state));
process.stdout.write(
  `processed file: ${path}\r\nSuccessfully processed 1 files; Failed processing 0 files\r\n`,
);
