// Changes the network or the RPC, in the desktop, which restarts the treasury.
import { Button, Group, PasswordInput, Select, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { DesktopState } from '../../../electron/ipc/ipc.ts';
import { askDesktop } from '../../api/desktop.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { confirmFirst } from '../../shared/ui/confirm-first.tsx';
import { Form } from '../../shared/ui/Form.tsx';

type Network = NonNullable<DesktopState['network']>;

const networks = [
  { value: 'sandbox', label: 'Sandbox (test money)' },
  { value: 'devnet', label: 'Devnet (test money)' },
  { value: 'mainnet', label: 'Mainnet (real money)' },
];

const urlRule = (text: string): string | null =>
  URL.canParse(text.trim()) && /^https?:/.test(text.trim())
    ? null
    : 'Enter a URL such as https://rpc.example.org.';

export const NetworkForm = ({ desktop }: { desktop: DesktopState }) => {
  const form = useForm({
    initialValues: {
      network: desktop.network ?? ('sandbox' as Network),
      rpcUrl: desktop.rpcUrl ?? '',
      secondRpcUrl: desktop.secondRpcUrl ?? '',
      passphrase: '',
    },
    validate: {
      rpcUrl: (text, { network }) => (network === 'sandbox' ? null : urlRule(text)),
      secondRpcUrl: (text, { network }) =>
        network === 'sandbox' || text.trim() === '' ? null : urlRule(text),
    },
  });
  const { network } = form.values;
  const isNew = !desktop.known.includes(network);
  const change = useCommand(async ({ rpcUrl, secondRpcUrl, passphrase }: typeof form.values) => {
    await askDesktop('setUp', {
      network,
      ...(network === 'sandbox' || rpcUrl.trim() === '' ? {} : { rpcUrl: rpcUrl.trim() }),
      ...(network === 'sandbox' || secondRpcUrl.trim() === '' ? {} : { secondRpcUrl: secondRpcUrl.trim() }),
      ...(passphrase === '' ? {} : { passphrase }),
    });
  });
  return (
    <Form
      gap="sm"
      onSubmit={form.onSubmit((values) => confirmFirst({ ...changing, run: () => change.run(values) }))}
    >
      <Select label="Change to" data={networks} allowDeselect={false} {...form.getInputProps('network')} />
      {network !== 'sandbox' && (
        <>
          <TextInput
            label="Solana server (RPC)"
            description="Your treasury reads the chain from it and sends payments through it."
            placeholder="https://…"
            {...form.getInputProps('rpcUrl')}
          />
          <TextInput
            label="Second server"
            description="From another provider: payments go on when one goes down, and reserved money is released only when both agree."
            placeholder="None"
            {...form.getInputProps('secondRpcUrl')}
          />
          <PasswordInput
            label="Passphrase"
            description={
              isNew ? 'Protects the new keys of this network.' : 'If this network’s keys have one.'
            }
            {...form.getInputProps('passphrase')}
          />
        </>
      )}
      {isNew && <Text>This network is new on this machine. It gets its own keys.</Text>}
      <ErrorNote error={change.error} notDone="The network was not changed." />
      <Group>
        <Button type="submit" variant="default" loading={change.isBusy} disabled={!form.isDirty()}>
          Change network
        </Button>
        {!form.isDirty() && <Text c="dimmed">Nothing has changed yet.</Text>}
      </Group>
    </Form>
  );
};

const changing = {
  title: 'Restart the treasury?',
  means:
    'Agents cannot pay for a few seconds. Payments in progress are picked up again when it is back. Each network has its own keys, agents and money.',
  confirm: 'Restart',
};
