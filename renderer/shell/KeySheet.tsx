// All keys of the dashboard, and the switch for those that are a single letter.
import { Kbd, Modal, Stack, Switch, Table, Text } from '@mantine/core';
import { isMac, useSingleKeys } from '../shared/keys.ts';
import type { DialogProps } from '../shared/ui/form-dialog.tsx';

const groups: readonly { where: string; keys: readonly (readonly [readonly string[], string])[] }[] = [
  {
    where: 'Everywhere',
    keys: [
      [[isMac ? '⌘' : 'Ctrl', 'K'], 'Find a screen, setting, agent, payment or service; run a command'],
      [['/'], 'Go to the search field'],
      [['?'], 'Show these keys'],
      [['Esc'], 'Close what is open'],
    ],
  },
  {
    where: 'In Approvals',
    keys: [
      [['J'], 'Next request'],
      [['K'], 'Previous request'],
      [['A'], 'Go to the button that approves it; Enter then presses it'],
      [['D'], 'Go to the button that declines it; Enter then presses it'],
    ],
  },
  {
    where: 'In Activity',
    keys: [
      [['↑', '↓'], 'Move between rows'],
      [['Enter'], 'Open the row'],
    ],
  },
];

export default function KeySheet({ opened, onClose }: DialogProps) {
  const [isOn, setOn] = useSingleKeys();
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" size="lg">
      <Stack gap="md">
        {groups.map(({ where, keys }) => (
          <Table key={where} verticalSpacing={6} horizontalSpacing="xs">
            <Table.Caption ta="left" style={{ captionSide: 'top' }} c="var(--mantine-color-text)" fw={600}>
              {where}
            </Table.Caption>
            <Table.Tbody>
              {keys.map(([pressed, does]) => (
                <Table.Tr key={does}>
                  <Table.Th w={96} scope="row" fw={400}>
                    {pressed.map((key, index) => (
                      <span key={key}>
                        {index > 0 && ' '}
                        <Kbd>{key}</Kbd>
                      </span>
                    ))}
                  </Table.Th>
                  <Table.Td>{does}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        ))}
        <Switch
          label="Single keys"
          description={`When they are off, only ${isMac ? '⌘' : 'Ctrl'}+K, Enter, Esc and the arrow keys work.`}
          checked={isOn}
          onChange={({ currentTarget }) => setOn(currentTarget.checked)}
        />
        <Text c="dimmed">
          No single key decides a request. D and A only go to a button, which works a moment later.
        </Text>
      </Stack>
    </Modal>
  );
}
