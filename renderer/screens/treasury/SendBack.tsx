// One click sends what the treasury's own wallet holds back to the cold wallet, after the confirmation of every withdrawal.
import { Button, Stack } from '@mantine/core';
import { useTreasury } from '../../stores/treasury.ts';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { balanceOf } from './Balance.tsx';
import { ConfirmWithdrawal } from './ConfirmWithdrawal.tsx';
import { Sent } from './Sent.tsx';
import { useSending } from './use-withdrawal.ts';
import { notSent } from './withdrawal.ts';

export const SendBack = ({ to }: { to: string }) => {
  const held = useTreasury(({ snapshot }) => (snapshot === null ? '0.00' : balanceOf(snapshot.treasury)));
  const sending = useSending();
  const { sent, isBusy, error } = sending;
  return (
    <Stack gap="sm">
      <Button
        variant="default"
        loading={isBusy}
        disabled={Number(held) === 0}
        title={Number(held) === 0 ? 'The treasury’s own wallet holds nothing.' : undefined}
        onClick={() => sending.ask({ asset: 'USDC', to, amount: held })}
      >
        Send {held} USDC back to it
      </Button>
      {error !== null && <ErrorNote error={error} notDone={notSent(error)} />}
      {sent !== null && <Sent transfer={sent} />}
      <ConfirmWithdrawal
        withdrawal={sending.toConfirm}
        onCancel={sending.cancel}
        onConfirm={sending.confirm}
      />
    </Stack>
  );
};
