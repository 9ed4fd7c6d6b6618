// The last check before money leaves: the amount, who owns the address as far as we know, the whole address in groups of
// four, and Cancel under the Enter key.
import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { newAddress, recipientWords } from '../../../server/contract/treasury/recipients.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { useRecipients } from './use-recipients.ts';
import type { Withdrawal } from './withdrawal.ts';

const Recipient = ({ to }: { to: string }) => {
  const words = recipientWords(useRecipients(), to);
  const isNew = words === newAddress;
  return (
    <Text fw={600} {...(isNew ? { c: 'var(--mantine-color-error)' } : {})}>
      {words}
      {isNew && ' Compare each group of four with the address that you were given.'}
    </Text>
  );
};

export const WholeAddress = ({ address }: { address: string }) => (
  <div>
    <Text c="dimmed" mb={4}>
      To this address
    </Text>
    <Code block fz="md" style={{ whiteSpace: 'normal' }}>
      {address.match(/.{1,4}/g)?.map((four, at) => (
        // The parts never change their places. Copied, they are the address.
        <span key={`${at} ${four}`} style={{ display: 'inline-block', marginInlineEnd: '0.6em' }}>
          {four}
        </span>
      ))}
    </Code>
  </div>
);

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
        <WholeAddress address={withdrawal.to} />
        <Recipient to={withdrawal.to} />
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
