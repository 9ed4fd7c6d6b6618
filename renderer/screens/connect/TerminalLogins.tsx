// The terminals that ask to log in now, where their owner has just started one.
import { Stack } from '@mantine/core';
import { LoginCard } from '../approvals/LoginCard.tsx';
import { useOwner } from '../../stores/queries.ts';

export const TerminalLogins = () => {
  const { data } = useOwner('listLogins');
  const waiting = (data?.logins ?? []).filter(({ status }) => status === 'pending');
  const arrangement = waiting.map(({ loginId }) => loginId).join();
  return (
    <Stack gap="sm">
      {waiting.map((login) => (
        <LoginCard key={login.loginId} login={login} arrangement={arrangement} onDecided={() => {}} />
      ))}
    </Stack>
  );
};
