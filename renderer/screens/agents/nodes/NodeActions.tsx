// The further actions on a node, in a menu. Each opens its dialog.
import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, type Icon } from '@tabler/icons-react';
import { useState, type FC, type ReactNode } from 'react';
import type { DialogProps } from '../../../shared/ui/form-dialog.tsx';

/** The last one, `Archive`, stands apart and in red. `Node` is what each dialog is about. */
export type ActionsOn<Node> = readonly (readonly [
  label: string,
  icon: Icon,
  dialog: FC<Node & DialogProps>,
])[];

interface NodeActionsProps<Node> {
  /** `the group Research`. */
  of: string;
  node: Node;
  actions: ActionsOn<Node>;
}

export const NodeActions = <Node extends object>({ of, node, actions }: NodeActionsProps<Node>) => {
  const [shown, setShown] = useState<string | null>(null);
  const items = actions.map(([label, Drawn], at) => (
    <Menu.Item
      key={label}
      {...(at === actions.length - 1 ? { color: 'red' } : {})}
      leftSection={<Drawn size={16} aria-hidden />}
      onClick={() => setShown(label)}
    >
      {label}
    </Menu.Item>
  ));
  return (
    <>
      <MoreMenu of={of}>
        {items.slice(0, -1)}
        <Menu.Divider />
        {items.at(-1)}
      </MoreMenu>
      {actions.map(([label, , Dialog]) => (
        <Dialog key={label} {...node} opened={shown === label} onClose={() => setShown(null)} />
      ))}
    </>
  );
};

/** Further actions, behind three dots. */
export const MoreMenu = ({ of, children }: { of: string; children: ReactNode }) => (
  <Menu position="bottom-end" withinPortal>
    <Menu.Target>
      <ActionIcon variant="default" size={36} aria-label={`More for ${of}`}>
        <IconDots size={18} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>{children}</Menu.Dropdown>
  </Menu>
);
