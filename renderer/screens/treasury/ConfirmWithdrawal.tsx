// The last check before money leaves: the whole address, the amount, and Cancel under the Enter key.
import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { Amount } from '../../shared/ui/Amount.tsx';
import type { Withdrawal } from './withdrawal.ts';

interface ConfirmWithdrawalProps {
  withdrawal: Withdrawal | null;
  onCancel: () => void;
  onConfirm: (withdrawal: Withdrawal) => void;
}

export const ConfirmWithdrawal = ({ withdrawal, onCancel, onConfirm }: ConfirmWithdrawalProps) => (
  <Modal opened={withdrawal !== null} onClose={onCancel} title="Send this money?" centered>
    {withdrawal !== null && (
      <Stack gap="md">
        <Amount whole value={withdrawal.amount} currency={withdrawal.asset} fz={28} fw={650} />
        <div>
          <Text size="sm" c="dimmed" mb={4}>
            To this address
          </Text>
          <Code block className="break-anywhere" fz="md" style={{ whiteSpace: 'pre-wrap' }}>
            {withdrawal.to}
          </Code>
        </div>
        <Text size="sm">
          Compare the whole address. Money sent to a wrong address is lost: nobody can bring it back.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel} data-autofocus>
            Cancel
          </Button>
          <Button onClick={() => onConfirm(withdrawal)}>Send</Button>
        </Group>
      </Stack>
    )}
  </Modal>
);
