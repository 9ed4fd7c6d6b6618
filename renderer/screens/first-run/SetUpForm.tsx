// The choice of the network and, for a real one, how its keys are created and protected.
import {
  Anchor,
  Badge,
  Button,
  Group,
  Radio,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { DesktopState } from '../../../electron/ipc/ipc.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Form } from '../../shared/ui/Form.tsx';
import { Notice } from '../../shared/ui/Notice.tsx';
import { PassphraseFields } from './PassphraseFields.tsx';
import {
  type Network,
  publicRpc,
  setUpErrors,
  setUpInput,
  type SetUpInput,
  type SetUpValues,
} from './setup-form.ts';

interface SetUpFormProps {
  desktop: DesktopState;
  error: Error | null;
  onSubmit: (input: SetUpInput) => void;
}

export const SetUpForm = ({ desktop, error, onSubmit }: SetUpFormProps) => {
  const isKnown = ({ network }: SetUpValues): boolean => desktop.known.includes(network);
  const form = useForm<SetUpValues>({
    initialValues: {
      network: desktop.network ?? 'sandbox',
      rpcUrl: desktop.rpcUrl ?? '',
      way: 'create',
      phrase: '',
      passphrase: '',
      again: '',
    },
    validate: (values) => setUpErrors(values, isKnown(values)),
  });
  const { values } = form;
  const { network } = values;
  return (
    <Form gap="lg" onSubmit={form.onSubmit((sent) => onSubmit(setUpInput(sent, isKnown(sent))))} noValidate>
      <NetworkChoice
        value={network}
        known={desktop.known}
        onChange={(chosen) =>
          form.setValues({ network: chosen, rpcUrl: '', phrase: '', passphrase: '', again: '' })
        }
      />
      {network !== 'sandbox' && (
        <>
          <RpcField
            input={form.getInputProps('rpcUrl')}
            isPublic={values.rpcUrl === publicRpc[network]}
            onPublic={() => form.setFieldValue('rpcUrl', publicRpc[network])}
          />
          {!isKnown(values) && (
            <NewOrExisting
              isImport={values.way === 'import'}
              way={form.getInputProps('way')}
              phrase={form.getInputProps('phrase')}
            />
          )}
          <PassphraseFields
            isNew={!isKnown(values)}
            isRequired={network === 'mainnet'}
            passphrase={form.getInputProps('passphrase')}
            again={form.getInputProps('again')}
          />
        </>
      )}
      <ErrorNote error={error} notDone="Nothing was set up." />
      <Group>
        <Button type="submit">{network === 'sandbox' ? 'Start the sandbox' : 'Start the treasury'}</Button>
      </Group>
    </Form>
  );
};

const NewOrExisting = ({ isImport, way, phrase }: { isImport: boolean; way: object; phrase: object }) => (
  <Stack gap="xs">
    <SegmentedControl
      aria-label="New or existing treasury"
      data={[
        { value: 'create', label: 'Make a new treasury' },
        { value: 'import', label: 'Bring an existing one' },
      ]}
      {...way}
    />
    {isImport ? (
      <Textarea
        label="Recovery phrase"
        description="Its 24 words, in order, from a treasury of this network"
        autosize
        minRows={3}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...phrase}
      />
    ) : (
      <Text c="dimmed">You get a recovery phrase of 24 words to write down as soon as it runs.</Text>
    )}
  </Stack>
);

interface RpcFieldProps {
  input: object;
  isPublic: boolean;
  onPublic: () => void;
}

const RpcField = ({ input, isPublic, onPublic }: RpcFieldProps) => (
  <Stack gap="xs">
    <TextInput
      label="RPC address"
      description="The Solana server that your treasury reads the chain from and sends payments to"
      placeholder="https://"
      type="url"
      autoComplete="off"
      {...input}
    />
    {isPublic ? (
      <Notice color="yellow" icon={<IconAlertTriangle aria-hidden />}>
        The public server is slow, refuses many requests, and sees all your wallets. It is fine for a trial;
        for daily use, get one from a provider.
      </Notice>
    ) : (
      <Text c="dimmed">
        Don’t have one?{' '}
        <Anchor component="button" type="button" underline="always" onClick={onPublic}>
          Use the public server
        </Anchor>
      </Text>
    )}
  </Stack>
);

interface NetworkChoiceProps {
  value: Network;
  known: readonly Network[];
  onChange: (network: Network) => void;
}

const networks = [
  {
    id: 'sandbox',
    name: 'Sandbox',
    text: 'Your own Solana chain on this machine, with 1,000 test USDC. It is ready in seconds, and there is nothing to lose.',
  },
  { id: 'devnet', name: 'Devnet', text: 'Solana’s public test network. Its money has no value.' },
  { id: 'mainnet', name: 'Mainnet', text: 'Real USDC. Your agents’ payments cannot be reversed.' },
] as const satisfies readonly { id: Network; name: string; text: string }[];

/** The choice of sandbox, devnet or mainnet, each explained. */
const NetworkChoice = ({ value, known, onChange }: NetworkChoiceProps) => (
  <Radio.Group label="Network" value={value} onChange={(chosen) => onChange(chosen as Network)}>
    <Stack gap="xs" mt="xs">
      {networks.map(({ id, name, text }) => (
        <Radio.Card key={id} value={id} p="md" aria-label={`${name}. ${text}`}>
          <Group wrap="nowrap" align="flex-start">
            <Radio.Indicator mt={2} />
            <div>
              <Group gap="xs">
                <Text fw={600} size="md">
                  {name}
                </Text>
                {known.includes(id) && (
                  <Badge variant="default" size="sm" tt="none">
                    on this machine
                  </Badge>
                )}
              </Group>
              <Text c="dimmed">{text}</Text>
            </div>
          </Group>
        </Radio.Card>
      ))}
    </Stack>
  </Radio.Group>
);
