// Sends a test message through the saved mail server.
import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ask } from '../../../api/owner.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { fieldErrors } from '../../../shared/field-errors.ts';
import { notifyDone } from '../../../shared/notify.ts';
import { useCommand } from '../../../shared/hooks/use-command.ts';
import { Form } from '../../../shared/ui/Form.tsx';

export const TestMessage = ({ from }: { from: string }) => {
  const [to, setTo] = useState(from);
  const test = useCommand(async () => {
    await ask('testMailServer', { body: { to: to.trim() } });
    notifyDone(`The mail server accepted a message for ${to.trim()}.`);
  });
  const named = fieldErrors(test.error, ['to']);
  return (
    <Form gap="xs" onSubmit={() => void test.run()}>
      <Group align="flex-start" gap="xs">
        <TextInput
          label="Test message to"
          type="email"
          flex={1}
          miw={200}
          value={to}
          error={named?.['to']}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" mt={{ base: 0, xs: 25 }} loading={test.isBusy}>
          Send a test message
        </Button>
      </Group>
      {named === null && <ErrorNote error={test.error} notDone="No message was sent." />}
    </Form>
  );
};
