// The freeze code as a page to print.
import { Button, Group, Stack, Text } from '@mantine/core';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { QrCode } from '../../../shared/ui/QrCode.tsx';
import { Screen } from '../../../shared/ui/Screen.tsx';
import { useOwner } from '../../../stores/queries.ts';

export default function FreezeCode() {
  const { data, error, refetch } = useOwner('listPhoneWallets');
  return (
    <Screen title="Freeze code" back={['/settings/phones', 'Phones']}>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data !== undefined && (
        <Stack gap="md" align="flex-start">
          <QrCode value={data.freeze} title="Code that freezes everything" size={280} />
          <Text maw={560} size="md">
            Scan this with a phone that you registered, and send. It pays 0.000001 SOL to your Agent Treasury,
            which then stops all payments. The code never expires, and works from anywhere. It does nothing
            for a stranger: only a registered wallet can freeze. To unfreeze, go to your treasury.
          </Text>
          <Group className="not-printed">
            <Button onClick={() => print()}>Print this page</Button>
          </Group>
        </Stack>
      )}
    </Screen>
  );
}
