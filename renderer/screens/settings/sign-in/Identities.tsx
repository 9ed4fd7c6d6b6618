// The identities that may link a machine.
import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { ask } from '../../../api/owner.ts';
import { AskFirst } from '../../../shared/ui/AskFirst.tsx';
import { Moment } from '../../../shared/ui/Moment.tsx';
import { outdate } from '../../../stores/queries.ts';
import { AddIdentity } from './AddIdentity.tsx';
import { kinds, type Identity } from './identity-kinds.ts';

interface IdentitiesProps {
  identities: readonly Identity[];
  /** The identity provider's name, if there is one. */
  provider: string | null;
}

export const Identities = ({ identities, provider }: IdentitiesProps) => (
  <Stack gap="sm">
    <Title order={3} size="h5">
      People who can link
    </Title>
    {identities.length === 0 ? (
      <Text>
        Only you can link. Add a wallet, an e-mail address or an account that may link from a browser.
      </Text>
    ) : (
      <Stack component="ul" gap={0} p={0} m={0}>
        {identities.map((identity) => (
          <Line key={identity.identityId} identity={identity} />
        ))}
      </Stack>
    )}
    <AddIdentity provider={provider} />
  </Stack>
);

const Line = ({ identity }: { identity: Identity }) => {
  const { identityId, kind, subject, label, addedAt } = identity;
  return (
    <Group component="li" className="divided" justify="space-between" gap="sm" wrap="nowrap" py="xs">
      <div>
        <Text fw={600} className="break-anywhere">
          {label}{' '}
          <Badge size="sm" variant="default" tt="none" fw={500}>
            {kinds[kind].label}
          </Badge>
        </Text>
        <Text size="xs" c="dimmed" className="break-anywhere">
          {subject}, added <Moment iso={addedAt} />
        </Text>
      </div>
      <AskFirst
        variant="outline"
        flex="none"
        label={`Remove ${label}`}
        title={`Remove “${label}”?`}
        means="It can no longer link machines, even where it has already signed in. Machines that it linked keep their keys."
        confirm="Remove"
        run={() => ask('removeIdentity', { params: { identityId } }).finally(() => outdate(['getSignIn']))}
        notDone="It was not removed"
      >
        Remove
      </AskFirst>
    </Group>
  );
};
