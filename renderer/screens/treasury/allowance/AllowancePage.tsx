// The page on which a wallet of this browser sets or revokes the allowance of the cold wallet.
import { SegmentedControl, Stack, Text } from '@mantine/core';
import { IconPlayerPause, IconPlayerStop, IconSnowflake } from '@tabler/icons-react';
import { useState } from 'react';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { EmptyState } from '../../../shared/ui/EmptyState.tsx';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { Notice } from '../../../shared/ui/Notice.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { Loading, Screen } from '../../../shared/ui/Screen.tsx';
import { whenOf } from '../../../shared/time.ts';
import { useOwner } from '../../../stores/queries.ts';
import { Outcome } from './Outcome.tsx';
import { SetAllowance } from './SetAllowance.tsx';
import { useChange, usePausedDraws } from './use-allowance.ts';

type Cold = NonNullable<Reply<'getCold'>['cold']>;

const acts = [
  { value: 'set', label: 'Set' },
  { value: 'revoke', label: 'Revoke' },
];

/** @param act `revoke` from the cold wallet's panel */
export default function AllowancePage({ act }: { act?: string | undefined }) {
  const { data, error } = useOwner('getCold');
  return (
    <Screen title="Allowance of the cold wallet" back={['/treasury', 'Treasury']}>
      <ErrorNote error={error} />
      {data === undefined && error === null && <Loading />}
      {data?.cold === null && (
        <EmptyState icon={<IconSnowflake size={32} />} title="There is no cold wallet">
          Add its address under Treasury first.
        </EmptyState>
      )}
      {data?.cold != null && <Changing cold={data.cold} first={act === 'revoke' ? 'revoke' : 'set'} />}
    </Screen>
  );
}

const Changing = ({ cold, first }: { cold: Cold; first: string }) => {
  const [act, setAct] = useState(first);
  const { change, follow } = useChange();
  const isOver = change?.state === 'final';
  usePausedDraws(!isOver);
  const isUnderWay = isOver || change?.state === 'sent';
  // An allowance that was signed by mistake can be revoked before it is decided.
  const canBeRevoked = change?.state === 'sent' && Number(change.allowance) > 0;
  return (
    <>
      {cold.stoppedAt !== null ? (
        <Notice
          color="yellow"
          icon={<IconPlayerStop aria-hidden />}
          title={`Drawing has been stopped since ${whenOf(cold.stoppedAt)}`}
        >
          Nothing is drawn until you resume it under Treasury, whatever the allowance is.
        </Notice>
      ) : (
        !isOver && (
          <Notice
            color="blue"
            icon={<IconPlayerPause aria-hidden />}
            title="Nothing is drawn while this page is open"
          >
            Drawing is paused while you change the allowance. It resumes when the change is final, or when you
            leave this page.
          </Notice>
        )
      )}
      <Panel>
        {change !== null && <Outcome change={change} isStopped={cold.stoppedAt !== null} />}
        {canBeRevoked && <SetAllowance cold={cold} isRevocation onSent={follow} />}
        {!isUnderWay && (
          <Stack gap="md">
            <SegmentedControl
              data={acts}
              value={act}
              onChange={setAct}
              aria-label="What to do"
              w="fit-content"
            />
            <SetAllowance key={act} cold={cold} isRevocation={act === 'revoke'} onSent={follow} />
          </Stack>
        )}
      </Panel>
      <Text c="dimmed">
        Freeze stops this treasury. It does not stop a thief who has this machine, its keys and your
        passphrase: only revoking the allowance does.
      </Text>
    </>
  );
};
