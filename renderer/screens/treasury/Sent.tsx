// The outcome of a withdrawal.
import { Anchor } from '@mantine/core';
import { IconCheck, IconClock } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { Reply } from '../../../server/contract/schemas.ts';
import { outcomes } from '../../shared/status.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Notice } from '../../shared/ui/Notice.tsx';

const onItsWay = 'On its way. It is final within about half a minute.';

export const Sent = ({ transfer }: { transfer: Reply<'withdraw'> }) => {
  const { transferId, amount, currency, status } = transfer;
  const isConfirmed = status === 'confirmed';
  return (
    <Notice
      color={isConfirmed ? 'teal' : 'yellow'}
      icon={isConfirmed ? <IconCheck aria-hidden /> : <IconClock aria-hidden />}
      title={
        <>
          <Amount whole value={amount} currency={currency} /> {isConfirmed ? 'sent' : 'on the way'}
        </>
      }
    >
      {status === 'unknown' ? outcomes.unknown.meaning : onItsWay}{' '}
      <Anchor component={Link} href={`/activity/${transferId}`} inherit>
        Follow it
      </Anchor>
    </Notice>
  );
};
