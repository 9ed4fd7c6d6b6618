// Saves the transfers of the list's filters, but its words, as a file.
import { Button, Menu } from '@mantine/core';
import { IconDownload, IconFileSpreadsheet, IconJson } from '@tabler/icons-react';
import { listed } from '../../../server/contract/listed.ts';
import { notifyFailure, notifyDone } from '../../shared/notify.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { queryOf, type Filters } from './filters.ts';
import type { Ask } from '../../../server/contract/owner-api.ts';
import { askDesktop } from '../../api/desktop.ts';
import { Unreachable } from '../../api/unreachable.ts';
import { saveFile } from '../../shared/save-file.ts';
import { inBrowser, isDesktop } from '../../stores/connection.ts';

/** The file does not know the words of a search. */
const filterOf = ({ q: _words, ...filters }: Filters): StatementFilter => queryOf(filters);

const nameOf = ({ from, to }: Filters): string =>
  ['statement', from, to].filter((part) => part !== undefined).join('-');

export const ExportMenu = ({ filters }: { filters: Filters }) => {
  const command = useCommand((format: Format) =>
    saveStatement(format, filterOf(filters), nameOf(filters)).catch(notifyFailure('The file was not saved')),
  );
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={18} aria-hidden />}
          loading={command.isBusy}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label maw={260}>{periodOf(filters)}</Menu.Label>
        <Menu.Item
          leftSection={<IconFileSpreadsheet size={18} aria-hidden />}
          onClick={() => void command.run('csv')}
        >
          As a table (CSV)
        </Menu.Item>
        <Menu.Item leftSection={<IconJson size={18} aria-hidden />} onClick={() => void command.run('json')}>
          As data (JSON)
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};

const periodOf = ({ from, to, agent, service, kind, status, q }: Filters): string => {
  const days = from === undefined && to === undefined ? 'of all time' : daysOf(from, to);
  const by = [agent && 'agent', service && 'service', kind && 'kind', status && 'status'].filter(
    (part) => part !== undefined,
  );
  const filtered = by.length === 0 ? '' : ` of this ${listed(by)}`;
  return `Every transfer${filtered} ${days}${q === undefined ? '' : ', also without these words'}`;
};

const daysOf = (from: string | undefined, to: string | undefined): string => {
  if (from !== undefined && to !== undefined) return `from ${from} to ${to}`;
  return from === undefined ? `until ${to}` : `since ${from}`;
};

/** Saves transfers as a file: those of a period, of an agent, of a service or of a kind. */
type Format = 'csv' | 'json';
type StatementFilter = Omit<NonNullable<Ask<'totals'>['query']>, 'q' | 'by'>;

/** @param name of the file, without its ending */
const saveStatement = async (format: Format, filter: StatementFilter, name: string): Promise<void> => {
  if (isDesktop) {
    const { path } = await askDesktop('saveStatement', { format, ...filter });
    if (path !== null) notifyDone(`Saved as ${path}`);
    return;
  }
  const api = inBrowser();
  if (api === null) throw new Unreachable();
  saveFile(`${name}.${format}`, await api.statement({ format, ...filter }));
};
