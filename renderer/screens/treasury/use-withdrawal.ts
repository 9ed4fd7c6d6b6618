// One withdrawal from form to result: filled in, confirmed, sent under one idempotency key, answered.
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { useTransferKey } from '../../shared/hooks/use-transfer-key.ts';
import { withdrawalErrors, type Withdrawal } from './withdrawal.ts';

const empty: Withdrawal = { asset: 'USDC', to: '', amount: '' };

/** From the confirmation on. @param onSent once it was answered */
export const useSending = (onSent: () => void = () => {}) => {
  const [toConfirm, setToConfirm] = useState<Withdrawal | null>(null);
  const [sent, setSent] = useState<Reply<'withdraw'> | null>(null);
  const { carryOut } = useTransferKey();
  const send = useCommand(async (body: Withdrawal) => {
    setSent(await carryOut((key) => ask('withdraw', { body, key })));
    onSent();
  });
  return {
    toConfirm,
    sent,
    isBusy: send.isBusy,
    error: send.error,
    ask(withdrawal: Withdrawal) {
      setSent(null);
      send.reset();
      setToConfirm(withdrawal);
    },
    cancel: () => setToConfirm(null),
    confirm(withdrawal: Withdrawal) {
      setToConfirm(null);
      void send.run(withdrawal);
    },
  };
};

export const useWithdrawal = (ownAddress: string, held: Readonly<Record<Withdrawal['asset'], string>>) => {
  const form = useForm<Withdrawal>({
    initialValues: empty,
    validate: (values) => withdrawalErrors(values, ownAddress, held),
  });
  const sending = useSending(form.reset);
  return {
    ...sending,
    form,
    ask: form.onSubmit(({ asset, to, amount }) =>
      sending.ask({ asset, to: to.trim(), amount: amount.trim() }),
    ),
  };
};

export type WithdrawalForm = ReturnType<typeof useWithdrawal>['form'];
