// The asset, recipient and amount of a withdrawal.
import { Autocomplete, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { recipientWords } from '../../../server/contract/treasury/recipients.ts';
import { shorten } from '../../shared/format.ts';
import { MoneyInput } from '../../shared/ui/MoneyInput.tsx';
import { useRecipients } from './use-recipients.ts';
import type { WithdrawalForm } from './use-withdrawal.ts';
import { isAddress } from './withdrawal.ts';

interface WithdrawFieldsProps {
  form: WithdrawalForm;
  /** The treasury's refusals by field. */
  named: Record<string, string>;
  isBusy: boolean;
  /** The most of the asset that can go now. */
  all: string;
}

const assets = ['USDC', 'SOL'];

export const WithdrawFields = ({ form, named, isBusy, all }: WithdrawFieldsProps) => {
  const { asset, to } = form.values;
  const known = useRecipients();
  const words = isAddress(to.trim()) ? recipientWords(known, to.trim()) : undefined;
  return (
    <>
      <SegmentedControl
        data={assets}
        aria-label="What to send"
        disabled={isBusy}
        {...form.getInputProps('asset')}
      />
      <Autocomplete
        label="To"
        placeholder="Address of a Solana wallet"
        data={known.map(({ address }) => address)}
        renderOption={({ option: { value } }) => (
          <div>
            <Text>{recipientWords(known, value)}</Text>
            <Text size="xs" c="dimmed" ff="monospace">
              {shorten(value)}
            </Text>
          </div>
        )}
        limit={20}
        maxDropdownHeight={320}
        description={words}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        autoComplete="off"
        spellCheck={false}
        disabled={isBusy}
        {...form.getInputProps('to')}
        error={form.errors['to'] ?? named['to']}
      />
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <MoneyInput
          label="Amount"
          currency={asset}
          placeholder="0.00"
          flex={1}
          disabled={isBusy}
          {...form.getInputProps('amount')}
          error={form.errors['amount'] ?? named['amount']}
        />
        <Button
          variant="default"
          mt={25}
          disabled={isBusy}
          onClick={() => form.setFieldValue('amount', all)}
          aria-label={`All ${asset}`}
        >
          All
        </Button>
      </Group>
      {asset === 'SOL' && (
        <Text c="dimmed">
          Every payment by an agent needs a little SOL for its fee. “All” leaves 0.00089 SOL, which the
          account must keep, and the 0.002 SOL in each USDC account. Only a wallet app that you open with your
          recovery phrase can withdraw those.
        </Text>
      )}
    </>
  );
};
