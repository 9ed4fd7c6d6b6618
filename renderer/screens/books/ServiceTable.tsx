// A month by service. One that no rule names can be given an account.
import { Anchor } from '@mantine/core';
import { useState } from 'react';
import { useOwner } from '../../stores/queries.ts';
import { pathOfService } from '../catalog/service-words.ts';
import type { Compared } from './changes.ts';
import { entriesPath } from './entries-path.ts';
import type { Month } from './month-words.ts';
import { RuleDialog } from './RuleDialog.tsx';
import { SumTable, type SumTableProps } from './SumTable.tsx';

interface ServiceTableProps {
  rows: readonly Compared[];
  month: Month;
  shared: Pick<SumTableProps, 'month' | 'before' | 'isRunning'>;
}

export const ServiceTable = ({ rows, month, shared }: ServiceTableProps) => {
  const [service, setService] = useState<string | null>(null);
  const rules = useOwner('bookRules').data?.rules;
  const hasAccount = (id: string): boolean =>
    rules === undefined || rules.some(({ serviceId }) => serviceId === id);
  return (
    <>
      <SumTable
        {...shared}
        what="Service"
        rows={rows}
        nameOf={({ id, name }) => (id === '' ? 'No service' : name)}
        hrefOf={({ id }) => (id === '' ? null : pathOfService(id))}
        entriesHref={({ id }) => (id === '' ? null : entriesPath(month, { service: id }))}
        action={(row) =>
          row.id !== '' &&
          !hasAccount(row.id) && (
            <Anchor
              component="button"
              type="button"
              className="not-printed"
              size="xs"
              aria-haspopup="dialog"
              aria-label={`Assign an account: ${row.name}`}
              onClick={() => setService(row.id)}
            >
              Assign an account
            </Anchor>
          )
        }
      />
      <RuleDialog
        opened={service !== null}
        month={month.month}
        start={{ serviceId: service }}
        onClose={() => setService(null)}
      />
    </>
  );
};
