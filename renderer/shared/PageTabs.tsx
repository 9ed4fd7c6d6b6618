// The tabs of a screen, each with an address of its own; only the one that is shown is mounted.
import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';

interface PageTabsProps {
  /** By its name in the address: its label, and its content. */
  tabs: Readonly<Record<string, readonly [label: string, content: () => ReactNode]>>;
  shown: string;
  onShow: (name: string) => void;
}

export const PageTabs = ({ tabs, shown, onShow }: PageTabsProps) => (
  <Tabs value={shown} onChange={(next) => next !== null && onShow(next)} keepMounted={false}>
    <Tabs.List className="not-printed">
      {Object.entries(tabs).map(([name, [label]]) => (
        <Tabs.Tab key={name} value={name}>
          {label}
        </Tabs.Tab>
      ))}
    </Tabs.List>
    {Object.entries(tabs).map(([name, [, content]]) => (
      <Tabs.Panel key={name} value={name} pt="md">
        {content()}
      </Tabs.Panel>
    ))}
  </Tabs>
);
