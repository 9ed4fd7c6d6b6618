// One label and value of a DataList. A long label breaks, so that all values begin in one line.
import { DataList } from '@mantine/core';
import type { ReactNode } from 'react';

export const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <DataList.Item>
    <DataList.ItemLabel flex="none" w="var(--data-list-label-width)">
      {label}
    </DataList.ItemLabel>
    <DataList.ItemValue className="break-anywhere">{children}</DataList.ItemValue>
  </DataList.Item>
);
