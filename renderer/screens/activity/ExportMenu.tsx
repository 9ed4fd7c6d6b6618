// Saves all transfers of a period as a file.
import { Button, Menu } from '@mantine/core';
import { IconDownload, IconFileSpreadsheet, IconJson } from '@tabler/icons-react';
import { askDesktop } from '../../api/desktop.ts';
import { Unreachable } from '../../api/unreachable.ts';
import { notifyDone, notifyFailure } from '../../shared/notify.ts';
import { saveFile } from '../../shared/save-file.ts';
import { useCommand } from '../../shared/use-command.ts';
import { inBrowser, isDesktop } from '../../stores/connection.ts';
import type { Filters } from './filters.ts';

type Format = 'csv' | 'json';

const save = async (format: Format, { from, to }: Filters): Promise<void> => {
  // Whole days in UTC, as in the file.
  const period = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  if (isDesktop) {
    const { path } = await askDesktop('saveStatement', { format, ...period });
    if (path !== null) notifyDone(`Saved as ${path}`);
    return;
  }
  const api = inBrowser();
  if (api === null) throw new Unreachable();
  const name = ['statement', from, to].filter((part) => part !== undefined).join('-');
  saveFile(`${name}.${format}`, await api.statement({ format, ...period }));
};

export const ExportMenu = ({ filters }: { filters: Filters }) => {
  const command = useCommand((format: Format) =>
    save(format, filters).catch(notifyFailure('The file was not saved')),
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
        <Menu.Label>Every transfer {periodOf(filters)}</Menu.Label>
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

const periodOf = ({ from, to }: Filters): string => {
  if (from !== undefined && to !== undefined) return `from ${from} to ${to}, days in UTC`;
  if (from !== undefined) return `since ${from}, days in UTC`;
  return to === undefined ? 'of all time' : `until ${to}, days in UTC`;
};
