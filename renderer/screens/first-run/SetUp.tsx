// A desktop without a running treasury: not set up, starting, or failed.
import { Stack, Group, Loader, Text } from '@mantine/core';
import { useState } from 'react';
import { askDesktop } from '../../api/desktop.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { useConnection } from '../../stores/connection.ts';
import { Failed } from './Failed.tsx';
import { Front } from './Front.tsx';
import { SetUpForm } from './SetUpForm.tsx';
import type { SetUpInput } from './setup-form.ts';
import { useNow } from '../../shared/hooks/use-now.ts';

export default function SetUp() {
  const desktop = useConnection((state) => state.desktop);
  const [choosesAgain, setChoosesAgain] = useState(false);
  const [asked, setAsked] = useState<SetUpInput['network'] | null>(null);
  const setUp = useCommand((input: SetUpInput) => {
    setAsked(input.network);
    return askDesktop('setUp', input);
  });
  if (desktop === null) return null;
  const isStarting = desktop.phase === 'starting' || setUp.isBusy;
  const hasFailed = desktop.phase === 'failed' && !isStarting && !choosesAgain;
  if (hasFailed) return <Failed desktop={desktop} onOther={() => setChoosesAgain(true)} />;
  return (
    <Front title={isStarting ? 'Starting your treasury' : 'Set up your treasury'}>
      {isStarting && <Starting network={asked ?? desktop.network} />}
      {/* Stays mounted during the start: a refused input has to be corrected. */}
      <Stack display={isStarting ? 'none' : 'flex'}>
        <SetUpForm desktop={desktop} error={setUp.error} onSubmit={(input) => void setUp.run(input)} />
      </Stack>
    </Front>
  );
}

/** Explains the wait, with the time that has passed. */
const slowMs = 10_000;

const Starting = ({ network }: { network: string | null }) => {
  const [since] = useState(Date.now);
  const isSlow = useNow() - since > slowMs;
  return (
    <Stack gap="xs" role="status">
      <Group gap="sm" wrap="nowrap">
        <Loader size="sm" />
        <Text>
          {network === null || network === 'sandbox'
            ? 'Your own Solana chain starts on this machine, and 1,000 test USDC arrive.'
            : 'Opening your keys and reading the chain.'}
        </Text>
      </Group>
      {isSlow && (
        <Text c="dimmed">
          This takes longer than usual. A slow RPC, or a treasury with a long history, can need a minute.
        </Text>
      )}
    </Stack>
  );
};
