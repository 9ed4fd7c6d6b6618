// `treasury backup`: a copy of the records, made while payments go on.
import { closeSync, constants, copyFileSync, fsyncSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { answersWithinMs, isLost } from '../../client/client.ts';
import type { Reply } from '../../contract/schemas.ts';
import { closeToOthers } from '../../lib/files/owner-only.ts';
import { command } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { asOwner } from '../session.ts';
import { inert, moment } from '../table.ts';
import { show } from '../terminal.ts';

export const addBackup = command('backup [file]', {
  about: 'copy the records into the data folder, and to a new file if one is named',
  examples: ['treasury backup', 'treasury backup /media/stick/treasury.db'],
  async run(terminal, { file }) {
    const made = await patiently(() => asOwner(terminal).ask('backup'), answersWithinMs);
    const copy = file === undefined ? null : resolve(file);
    if (copy !== null) copyTo(made.file, copy);
    const shown = { ...made, file: copy ?? made.file };
    show(terminal, shown, () => [
      `${inert(shown.file)}: the records of ${moment(made.takenAt)}, ${(made.bytes / 1_048_576).toFixed(1)} MB.`,
      made.note,
      `To go back to them, stop the treasury and start it with: --restore ${inert(shown.file)}`,
    ]);
  },
});

/** A repeated request joins the running backup, so retry after each timeout, however large the records are. */
export const patiently = async (
  ask: () => Promise<Reply<'backup'>>,
  waitMs: number,
): Promise<Reply<'backup'>> => {
  for (;;) {
    const begin = performance.now();
    try {
      return await ask();
    } catch (error) {
      if (!isLost(error) || performance.now() - begin < waitMs) throw error;
    }
  }
};

const copyTo = (from: string, to: string): void => {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    closeToOthers(to);
    const descriptor = openSync(to, 'r+');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it is there already' : code;
    throw new Ending('failed', `${to} was not written (${why}). The backup is in ${from}.`);
  }
};
