// Sends a deposit back to the wallet that it came from, whole or in part: once. The dialog is its last check.
import { Text } from '@mantine/core';
import { useState } from 'react';
import type { Reply } from '../../../server/contract/schemas.ts';
import { parseUsdc } from '../../../server/money.ts';
import { ask } from '../../api/owner.ts';
import { amountRule } from '../../shared/amount-rule.ts';
import { fieldErrors } from '../../shared/field-errors.ts';
import { useChange } from '../../shared/hooks/use-command.ts';
import { useTransferKey } from '../../shared/hooks/use-transfer-key.ts';
import { notifyDone } from '../../shared/notify.ts';
import { Form, FormEnd } from '../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../shared/ui/form-dialog.tsx';
import { MoneyInput } from '../../shared/ui/MoneyInput.tsx';
import { WholeAddress } from './ConfirmWithdrawal.tsx';
import { notSent } from './withdrawal.ts';

export type Deposit = Reply<'deposits'>['deposits'][number];

export const SendBack = formDialog(() => 'Send this deposit back?', SendBackForm);

function SendBackForm({
  deposit: { from: to, txSignature, ...deposit },
  onDone,
}: { deposit: Deposit } & Done) {
  const [typed, setTyped] = useState(deposit.amount);
  const { carryOut } = useTransferKey();
  const amount = typed.trim();
  const send = useChange(['deposits', 'activity'], async () => {
    const body = { asset: 'USDC', to, amount, refundOf: txSignature } as const;
    await carryOut((key) => ask('withdraw', { body, key }));
    notifyDone(`${amount} USDC is on its way back.`);
    onDone();
  });
  const isMore = (parseUsdc(amount) ?? 0n) > (parseUsdc(deposit.amount) ?? 0n);
  const named = fieldErrors(send.error, ['amount'])?.['amount'];
  const fault = isMore ? `At most ${deposit.amount} USDC came in.` : amountRule(amount);
  return (
    <Form onSubmit={() => void send.run()}>
      <WholeAddress address={to} />
      <MoneyInput
        label="Amount"
        value={typed}
        error={fault ?? named}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Text c="dimmed">A deposit can be sent back once, all of it or a part.</Text>
      <FormEnd
        of={named === undefined ? send : { ...send, error: null }}
        {...(send.error === null ? {} : { notDone: notSent(send.error) })}
        disabled={fault !== null}
        onCancel={onDone}
      >
        Send back
      </FormEnd>
    </Form>
  );
}
