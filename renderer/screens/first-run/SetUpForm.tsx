// The choice of the network and, for a real one, how its keys are created and protected.
import { Anchor, Button, Group, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { DesktopState } from '../../../electron/ipc/ipc.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Form } from '../../shared/ui/Form.tsx';
import { Notice } from '../../shared/ui/Notice.tsx';
import { NetworkChoice } from './NetworkChoice.tsx';
import { PassphraseFields } from './PassphraseFields.tsx';
import { publicRpc, setUpErrors, setUpInput, type SetUpInput, type SetUpValues } from './setup-form.ts';

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

interface NewOrExistingProps {
  isImport: boolean;
  way: object;
  phrase: object;
}

const NewOrExisting = ({ isImport, way, phrase }: NewOrExistingProps) => (
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
