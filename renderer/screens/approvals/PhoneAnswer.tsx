// The codes with which a registered phone answers a request, until shortly before its deadline.
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconDeviceMobile } from '@tabler/icons-react';
import { useState } from 'react';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { PayCode } from '../../shared/ui/PayCode.tsx';
import { timeLeft } from '../../shared/time-left.ts';
import { useNow } from '../../shared/hooks/use-now.ts';
import { useOwner } from '../../stores/queries.ts';

/** Shows nothing where no phone is registered. */
export const PhoneAnswer = ({ approvalId }: { approvalId: string }) => {
  const [isShown, setShown] = useState(false);
  const { data } = useOwner('listPhoneWallets');
  if (data === undefined || data.wallets.length === 0) return null;
  return (
    <Stack gap="sm">
      <Group>
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          leftSection={<IconDeviceMobile size={16} aria-hidden />}
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? 'Hide the codes for a phone' : 'Answer from a phone'}
        </Button>
      </Group>
      {isShown && <Codes approvalId={approvalId} />}
    </Stack>
  );
};

const Codes = ({ approvalId }: { approvalId: string }) => {
  const { data, error, refetch } = useOwner('phoneRequests', { params: { approvalId } });
  const now = useNow();
  if (data === undefined) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  const left = Date.parse(data.until) - now;
  if (left <= 0 || data.deny === null)
    return <Text>A phone can no longer answer this in time. Answer it here.</Text>;
  return (
    <Stack gap="sm">
      <Text role="timer" style={{ fontVariantNumeric: 'tabular-nums' }}>
        Send within {timeLeft(left)}. Show these codes to nobody.
      </Text>
      <Group gap="lg" align="flex-start">
        <Stack gap="xs">
          <Text fw={600}>Approve</Text>
          {data.approve === null ? (
            <Text>No registered phone can approve this: its limits are lower, or do not apply yet.</Text>
          ) : (
            <PayCode request={data.approve} title="Code that approves this" />
          )}
        </Stack>
        <Stack gap="xs">
          <Text fw={600}>Decline</Text>
          <PayCode request={data.deny} title="Code that declines this" />
        </Stack>
      </Group>
    </Stack>
  );
};
