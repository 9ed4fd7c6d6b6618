// The requests that may be decided on the overview itself, with the inbox's own cards. The others open the inbox.
import { Anchor, Card, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { counted } from '../../shared/format.ts';
import { useOwner } from '../../stores/queries.ts';
import { Inbox } from './Inbox.tsx';
import { mayDecideInPlace, requestOf } from './request.ts';

interface InPlaceProps {
  /** All requests that wait, of each kind. */
  waiting: number;
}

const nothingNew = (): void => {};

export default function InPlace({ waiting }: InPlaceProps) {
  const { data } = useOwner('listApprovals', { query: { limit: '200' } });
  const approvals = (data?.approvals ?? []).filter((one) => mayDecideInPlace(requestOf(one)));
  const here = approvals.filter(({ status, denyAt }) => status === 'pending' && denyAt === null).length;
  const elsewhere = waiting - here;
  const more = here === 0 ? '' : 'more ';
  return (
    <Stack gap="xs">
      <Inbox isPart approvals={approvals} logins={[]} links={[]} onCreated={nothingNew} />
      {data !== undefined && elsewhere > 0 && (
        <Card withBorder bg="var(--card)" padding="md" fz="sm" display="block">
          <Anchor component={Link} href="/approvals" inherit underline="always">
            {counted(elsewhere, `${more}request is waiting`, `${more}requests are waiting`)}
          </Anchor>{' '}
          under Approvals.
        </Card>
      )}
    </Stack>
  );
}
