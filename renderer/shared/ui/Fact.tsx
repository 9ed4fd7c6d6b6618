// One label and value of a DataList.
import { DataList } from '@mantine/core';
import type { ReactNode } from 'react';

export const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <DataList.Item>
    <DataList.ItemLabel>{label}</DataList.ItemLabel>
    <DataList.ItemValue className="break-anywhere">{children}</DataList.ItemValue>
  </DataList.Item>
);
