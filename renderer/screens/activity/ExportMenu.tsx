// Saves the transfers of the list's days, agent, service and kind as a file.
import { Button, Menu } from '@mantine/core';
import { IconDownload, IconFileSpreadsheet, IconJson } from '@tabler/icons-react';
import { listed } from '../../shared/format.ts';
import { notifyFailure, notifyDone } from '../../shared/notify.ts';
import { endOfDay, startOfDay } from '../../shared/time.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import type { Filters } from './filters.ts';
import type { Ask } from '../../../server/contract/owner-api.ts';
import { askDesktop } from '../../api/desktop.ts';
import { Unreachable } from '../../api/unreachable.ts';
import { saveFile } from '../../shared/save-file.ts';
import { inBrowser, isDesktop } from '../../stores/connection.ts';

/** Days are this machine's own. The file knows neither the words of a search nor all statuses of the list. */
const filterOf = ({ agent, service, kind, from, to }: Filters): StatementFilter =>
  ({
    ...(agent === undefined ? {} : { agentId: agent }),
    ...(service === undefined ? {} : { serviceId: service }),
    ...(kind === undefined ? {} : { kind }),
    ...(from === undefined ? {} : { from: startOfDay(from) }),
    ...(to === undefined ? {} : { to: endOfDay(to) }),
  }) as StatementFilter;

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
  const by = [agent && 'agent', service && 'service', kind && 'kind'].filter((part) => part !== undefined);
  const filtered = by.length === 0 ? '' : ` of this ${listed(by)}`;
  return `Every transfer${filtered} ${days}${status === undefined && q === undefined ? '' : ', of any status, also without these words'}`;
};

const daysOf = (from: string | undefined, to: string | undefined): string => {
  if (from !== undefined && to !== undefined) return `from ${from} to ${to}`;
  return from === undefined ? `until ${to}` : `since ${from}`;
};

/** Saves transfers as a file: those of a period, of an agent, of a service or of a kind. */
type Format = 'csv' | 'json';
type StatementFilter = Omit<NonNullable<Ask<'totals'>['query']>, 'q'>;

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
