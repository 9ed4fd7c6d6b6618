// Withdraws from the treasury. The owner confirms the form, with the whole address, before anything is sent.
import { Button, Group, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { lockedWords } from '../../../server/contract/treasury/recipients.ts';
import { amountRule } from '../../shared/amount-rule.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { fieldErrors } from '../../shared/field-errors.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { Form } from '../../shared/ui/Form.tsx';
import type { Snapshot } from '../../stores/treasury.ts';
import { balanceOf } from './Balance.tsx';
import { ConfirmWithdrawal } from './ConfirmWithdrawal.tsx';
import { Sent } from './Sent.tsx';
import { useWithdrawal } from './use-withdrawal.ts';
import { WithdrawFields } from './WithdrawFields.tsx';
import { mostOf, notSent } from './withdrawal.ts';

export const Withdraw = ({ treasury, locked: isLocked }: Pick<Snapshot, 'treasury' | 'locked'>) => {
  const held = { USDC: balanceOf(treasury), SOL: treasury.withdrawableSol };
  const withdrawal = useWithdrawal(treasury.walletAddress, held);
  const { form, sent, isBusy, error } = withdrawal;
  const { asset, amount } = form.values;
  const most = mostOf(error);
  const named = fieldErrors(error, ['to', 'amount']);
  return (
    <Panel title="Withdraw" note="Send money from the treasury to another wallet.">
      <Form gap="sm" onSubmit={withdrawal.ask}>
        <WithdrawFields form={form} named={named ?? {}} isBusy={isBusy} all={held[asset]} />
        {named === null && error !== null && <ErrorNote error={error} notDone={notSent(error)} />}
        {most?.asset === asset && (
          <Group gap="xs">
            <Text>
              At most <Amount whole value={most.amount} currency={most.asset} /> can be withdrawn now.
            </Text>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => form.setFieldValue('amount', most.amount)}
            >
              Use that
            </Button>
          </Group>
        )}
        {sent !== null && <Sent transfer={sent} />}
        <Group>
          <Button
            type="submit"
            loading={isBusy}
            disabled={isLocked || amountRule(amount, asset) !== null}
            leftSection={<IconSend size={18} aria-hidden />}
          >
            Continue
          </Button>
          <Text role="status">
            {isLocked ? lockedWords : isBusy && 'On its way. This can take half a minute.'}
          </Text>
        </Group>
      </Form>
      <ConfirmWithdrawal
        withdrawal={withdrawal.toConfirm}
        onCancel={withdrawal.cancel}
        onConfirm={withdrawal.confirm}
      />
    </Panel>
  );
};
