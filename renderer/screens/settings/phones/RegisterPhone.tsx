// Registers a phone: the owner names its wallet, and the phone proves by a tiny payment that it has the key.
import { Button, Group, PasswordInput, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { AppError } from '../../../../server/errors.ts';
import { ask } from '../../../api/owner.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { MoneyInput } from '../../../shared/ui/MoneyInput.tsx';
import { notifyDone } from '../../../shared/notify.ts';
import { PayCode } from '../../../shared/ui/PayCode.tsx';
import { useNeedsPassphrase } from '../../../shared/hooks/use-needs-passphrase.ts';
import { Form, FormEnd } from '../../../shared/ui/Form.tsx';
import { useChange } from '../../../shared/hooks/use-command.ts';
import { refusedAt } from '../../../shared/refused-at.ts';
import { changedBy } from '../../../stores/queries.ts';

interface Values {
  name: string;
  address: string;
  perApproval: string;
  perDay: string;
  passphrase: string;
}
type Asked = Reply<'phoneWalletText'>;

const empty: Values = { name: '', address: '', perApproval: '0', perDay: '0', passphrase: '' };
const fields = ['name', 'address', 'perApproval', 'perDay', 'passphrase'] as const;
const lookAgainMs = 2_000;

export const RegisterPhone = () => {
  const [asked, setAsked] = useState<Asked | null>(null);
  const form = useForm<Values>({
    initialValues: empty,
    validate: {
      name: (text) => (text.trim() === '' ? 'Give it a name.' : null),
      address: (text) => (text.trim() === '' ? 'Copy the address from the wallet on your phone.' : null),
    },
  });
  const begin = useChange(changedBy.phones, async ({ address }: Values) =>
    setAsked(await ask('phoneWalletText', { body: { address: address.trim() } })),
  );
  const { inputOf, command } = refusedAt(fields, form, begin);
  const needsPassphrase = useNeedsPassphrase();
  return (
    <Stack gap="sm" component="section" aria-label="Register a phone">
      <Title order={3} size="h5">
        Register a phone
      </Title>
      {asked === null ? (
        <Form gap="sm" onSubmit={form.onSubmit((values) => void begin.run(values))}>
          <TextInput label="Name" placeholder="My phone" {...inputOf('name')} />
          <TextInput label="Address of its wallet" spellCheck={false} {...inputOf('address')} />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <MoneyInput label="Maximum per approval" {...inputOf('perApproval')} />
            <MoneyInput label="In 24 hours" {...inputOf('perDay')} />
          </SimpleGrid>
          <Text c="dimmed">
            With 0, the phone cannot approve, but it can still decline and freeze. It can approve only after
            24 hours.
          </Text>
          {needsPassphrase && (
            <PasswordInput label="Passphrase" autoComplete="current-password" {...inputOf('passphrase')} />
          )}
          <FormEnd of={command} notDone="No phone was registered." variant="default">
            Show the code
          </FormEnd>
        </Form>
      ) : (
        <Prove
          asked={asked}
          values={form.values}
          onEnd={(isDone) => {
            setAsked(null);
            if (isDone) form.setValues(empty);
          }}
        />
      )}
    </Stack>
  );
};

interface ProveProps {
  asked: Asked;
  values: Values;
  onEnd: (isDone: boolean) => void;
}

const Prove = ({ asked, values, onEnd }: ProveProps) => {
  const register = useChange(changedBy.phones, async () => {
    const { name, address, perApproval, perDay, passphrase } = values;
    const proof = passphrase === '' ? {} : { passphrase };
    const body = { name: name.trim(), address: address.trim(), nonce: asked.nonce, perApproval, perDay };
    const wallet = await ask('registerPhoneWallet', { body: { ...body, ...proof } });
    notifyDone(`${wallet.name} is registered.`);
    onEnd(true);
  });
  const { run, isBusy, error } = register;
  const isMissing = error instanceof AppError && error.details?.['isPaid'] === false;
  const isRefused = error !== null && !isMissing;
  useEffect(() => {
    if (isBusy || isRefused) return;
    const timer = setTimeout(() => void run(), lookAgainMs);
    return () => clearTimeout(timer);
  }, [isBusy, isRefused]);
  return (
    <Stack gap="sm">
      <Text>
        Scan this with the wallet on your phone, and send. It pays 0.000001 SOL, which shows that the phone
        has the key.
      </Text>
      <PayCode request={asked.request} title="Code that registers this phone" />
      <Text role="status">{isRefused ? '' : 'Waiting for the payment to be final.'}</Text>
      <ErrorNote error={isRefused ? error : null} notDone="No phone was registered." />
      <Group>
        <Button variant="default" onClick={() => onEnd(false)}>
          Back
        </Button>
      </Group>
    </Stack>
  );
};
