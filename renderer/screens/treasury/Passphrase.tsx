// Changes the passphrase that protects the signing keys, where there is one.
import { PasswordInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ask } from '../../api/owner.ts';
import { notifyDone } from '../../shared/notify.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { Form, FormEnd } from '../../shared/ui/Form.tsx';
import { refusedAt } from '../../shared/refused-at.ts';
import { isDesktop, signOut } from '../../stores/connection.ts';
import { useOwner } from '../../stores/queries.ts';
import type { Reply } from '../../../server/contract/schemas.ts';

export const Passphrase = () => {
  const { data: about } = useOwner('about');
  if (about === undefined) return null;
  const { text, hasPassphrase } = protections[about.protection];
  return (
    <Panel title="Key protection">
      <Text>{text}</Text>
      {hasPassphrase && <ChangePassphrase />}
    </Panel>
  );
};

const empty = { current: '', next: '', again: '' };

const ChangePassphrase = () => {
  const form = useForm({
    initialValues: empty,
    validate: {
      current: (text) => (text === '' ? 'Enter the current passphrase.' : null),
      next: (text, { current }) => {
        if (text === '') return 'Enter a new passphrase.';
        return text === current ? 'This is the current passphrase.' : null;
      },
      again: (text, { next }) => (text === next ? null : 'The two don’t match.'),
    },
  });
  const change = useCommand(async ({ current, next }: typeof empty) => {
    await ask('changePassphrase', { body: { current, next } });
    form.reset();
    notifyDone('The passphrase was changed.');
    // The change has ended every session.
    if (!isDesktop) signOut('passphrase');
  });
  const { inputOf, command } = refusedAt(['current', 'next'], form, change);
  return (
    <Form gap="sm" onSubmit={form.onSubmit((values) => void change.run(values))}>
      <PasswordInput label="Current passphrase" autoComplete="current-password" {...inputOf('current')} />
      <PasswordInput label="New passphrase" autoComplete="new-password" {...inputOf('next')} />
      <PasswordInput
        label="New passphrase again"
        autoComplete="new-password"
        {...form.getInputProps('again')}
      />
      {!isDesktop && (
        <Text c="dimmed">Changing it signs out every browser and every terminal, this one too.</Text>
      )}
      <FormEnd of={command} notDone="The passphrase was not changed." variant="default">
        Change passphrase
      </FormEnd>
    </Form>
  );
};

/** How the signing keys are protected against theft of the disk. */
type Protection = Reply<'about'>['protection'];

const protections: Record<Protection, { text: string; hasPassphrase: boolean }> = {
  keychain: {
    text: 'The keys are in your system’s keychain. They open with your login to this machine.',
    hasPassphrase: false,
  },
  'keychain+seal': {
    text: 'The keys are in your system’s keychain, sealed once more with your passphrase.',
    hasPassphrase: true,
  },
  'passphrase-file': {
    text: 'The keys are in a file that is encrypted with your passphrase.',
    hasPassphrase: true,
  },
  'key-file': {
    text: 'This is a sandbox: its keys are in a file that only you can read. They protect no real money.',
    hasPassphrase: false,
  },
};
