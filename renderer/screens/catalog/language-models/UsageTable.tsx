// The table of what was used of language models: by day, and by request.
import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Reply } from '../../../../server/contract/schemas.ts';

type Mark = Reply<'modelUsage'>['days'][number]['mark'];

export const known: Record<Mark, string> = { exact: '', estimated: 'estimated', unknown: 'at most' };

interface UsageTableProps {
  label: string;
  heads: readonly string[];
  /** Each with a key, and a cell for each heading. */
  rows: readonly (readonly [key: string, ...cells: ReactNode[]])[];
}

export const UsageTable = ({ label, heads, rows }: UsageTableProps) => (
  <Table.ScrollContainer minWidth={520}>
    <Table aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          {heads.map((head) => (
            <Table.Th key={head}>{head}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(([key, ...cells]) => (
          <Table.Tr key={key}>
            {cells.map((cell, nth) => (
              // A name may be long, and a time is not cut.
              <Table.Td key={heads[nth]} className={typeof cell === 'string' ? 'break-anywhere' : ''}>
                {cell}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);
