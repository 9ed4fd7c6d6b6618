// One line of a DataList: what it is, and what is known of it.
import { DataList } from '@mantine/core';
import type { ReactNode } from 'react';

export const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <DataList.Item>
    <DataList.ItemLabel>{label}</DataList.ItemLabel>
    <DataList.ItemValue className="break-anywhere">{children}</DataList.ItemValue>
  </DataList.Item>
);
