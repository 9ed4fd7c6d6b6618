// The identities that may link a machine.
import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { Moment } from '../../../shared/ui/Moment.tsx';
import { AddIdentity } from './AddIdentity.tsx';
import { kinds, type Identity } from './identity-kinds.ts';
import { RemoveIdentity } from './RemoveIdentity.tsx';

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
      <Text size="sm">
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
  const { kind, subject, label, addedAt } = identity;
  return (
    <Group component="li" className="divided" justify="space-between" gap="sm" wrap="nowrap" py="xs">
      <div>
        <Text size="sm" fw={600} className="break-anywhere">
          {label}{' '}
          <Badge size="sm" variant="default" tt="none" fw={500}>
            {kinds[kind].label}
          </Badge>
        </Text>
        <Text size="xs" c="dimmed" className="break-anywhere">
          {subject}, added <Moment iso={addedAt} />
        </Text>
      </div>
      <RemoveIdentity identity={identity} />
    </Group>
  );
};
