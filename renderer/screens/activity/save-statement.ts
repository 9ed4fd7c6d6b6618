// Saves transfers as a file: those of a period, of an agent, of a service or of a kind.
import type { Ask } from '../../../server/contract/owner-api.ts';
import { askDesktop } from '../../api/desktop.ts';
import { Unreachable } from '../../api/unreachable.ts';
import { notifyDone } from '../../shared/notify.ts';
import { saveFile } from '../../shared/save-file.ts';
import { inBrowser, isDesktop } from '../../stores/connection.ts';

export type Format = 'csv' | 'json';
export type StatementFilter = Omit<NonNullable<Ask<'totals'>['query']>, 'q'>;

/** @param name of the file, without its ending */
export const saveStatement = async (format: Format, filter: StatementFilter, name: string): Promise<void> => {
  if (isDesktop) {
    const { path } = await askDesktop('saveStatement', { format, ...filter });
    if (path !== null) notifyDone(`Saved as ${path}`);
    return;
  }
  const api = inBrowser();
  if (api === null) throw new Unreachable();
  saveFile(`${name}.${format}`, await api.statement({ format, ...filter }));
};
