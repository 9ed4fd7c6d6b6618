// Sends the browser to the identity provider, which sends it back to this page.
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { askLink } from '../../api/link.ts';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { useWork } from '../../shared/use-work.ts';
import { leaveFor } from './journey.ts';
import { wrapping } from '../../shared/wrapping.ts';

export const ProviderSignIn = ({ token, name }: { token: string; name: string }) => {
  const leave = useWork(async () => leaveFor(token, await askLink('askProvider', token)));
  return (
    <Stack gap="sm">
      <Text size="sm">It sends you back here when it knows who you are.</Text>
      <ErrorNote error={leave.error} notDone="You are not signed in." />
      <Group>
        <Button
          {...wrapping}
          mih={36}
          variant="default"
          leftSection={<IconExternalLink size={18} aria-hidden />}
          loading={leave.isBusy}
          onClick={() => void leave.run()}
        >
          Continue with {name}
        </Button>
      </Group>
    </Stack>
  );
};
