// A terminal's request to act as the owner. By the code, owners recognize the terminal in front of them.
import { Code, Group, Stack, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { ask } from '../../api/owner.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { useChange } from '../../shared/hooks/use-command.ts';
import { ArmedButton } from './ArmedButton.tsx';
import { AskerHead } from './AskerHead.tsx';
import { DenyButton } from './DenyButton.tsx';
import { ViaPublicAddress } from './ViaPublicAddress.tsx';
import { RequestFrame, titleOf } from './RequestFrame.tsx';
import { useArmed } from './use-armed.ts';

export type Login = Reply<'listLogins'>['logins'][number];

interface LoginCardProps {
  login: Login;
  arrangement: string;
  onDecided: (outcome: 'granted' | 'denied') => void;
}

export const LoginCard = ({ login, arrangement, onDecided }: LoginCardProps) => {
  const { loginId, terminal, code, viaPublicAddress, createdAt, expiresAt } = login;
  const isArmed = useArmed(`${loginId} ${code} ${arrangement}`);
  const answer = (route: 'grantLogin' | 'denyLogin') => async () => {
    await ask(route, { params: { loginId } });
    onDecided(route === 'grantLogin' ? 'granted' : 'denied');
  };
  const deny = useChange(['listLogins'], answer('denyLogin'));
  const grant = useChange(['listLogins'], answer('grantLogin'));
  const isBusy = deny.isBusy || grant.isBusy;
  return (
    <RequestFrame requestId={loginId}>
      <Stack gap="md">
        <AskerHead
          id={titleOf(loginId)}
          what="The terminal"
          name={terminal}
          asks="asks to log in"
          {...{ code, createdAt, expiresAt }}
        />
        <Text>
          Allow this only if you just ran <Code>treasury</Code> in a terminal and the codes match. It gets
          full access for 15 minutes.
        </Text>
        {viaPublicAddress && <ViaPublicAddress />}
        <ErrorNote error={deny.error ?? grant.error} notDone="The terminal was not allowed in." />
        <Group gap="xs">
          <DenyButton isArmed={isArmed && !isBusy} isBusy={deny.isBusy} onDeny={() => void deny.run()} />
          <ArmedButton
            variant="filled"
            at="a"
            isArmed={isArmed && !isBusy}
            loading={grant.isBusy}
            icon={<IconCheck size={16} aria-hidden />}
            onClick={() => void grant.run()}
          >
            Codes match, allow
          </ArmedButton>
        </Group>
      </Stack>
    </RequestFrame>
  );
};
