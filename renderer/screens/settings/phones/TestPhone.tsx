// A word that changes nothing: it shows that a registered phone works.
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { PayCode } from '../../../shared/PayCode.tsx';

export const TestPhone = ({ request }: { request: string }) => {
  const [isShown, setShown] = useState(false);
  return (
    <Stack gap="sm" component="section" aria-label="Test a phone">
      <Title order={3} size="h5">
        Test a phone
      </Title>
      <Text size="sm">The test changes nothing. It is listed below once it has arrived.</Text>
      {isShown && <PayCode request={request} title="Code that tests a phone" />}
      <Group>
        <Button variant="default" onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide the code' : 'Show the code'}
        </Button>
      </Group>
    </Stack>
  );
};
