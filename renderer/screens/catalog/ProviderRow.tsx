// One image provider: whether it has the owner's API key, its address, and its limit of concurrent pictures.
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { CopyButton } from '../../shared/ui/CopyButton.tsx';
import { counted } from '../../shared/format.ts';
import type { Provider } from './provider-form.ts';
import { ask } from '../../api/owner.ts';
import { AskFirst } from '../../shared/ui/AskFirst.tsx';
import { rereadModels } from './reread-models.ts';

export const ProviderRow = ({ provider, onChange }: { provider: Provider; onChange: () => void }) => {
  const { name, hasKey, baseUrl, atOnce, keysUrl } = provider;
  return (
    <Group component="li" className="divided" justify="space-between" py="sm" gap="sm" aria-label={name}>
      <Stack gap={2} miw={0} flex="1 1 260px">
        <Group gap="xs">
          <Text fw={600} size="md">
            {name}
          </Text>
          <Badge variant="dot" color={hasKey ? 'teal' : 'gray'} tt="none" fw={600}>
            {hasKey ? 'Key saved' : 'No key'}
          </Badge>
        </Group>
        <Text c="dimmed" className="break-anywhere">
          Up to {counted(atOnce, 'picture')} at a time{baseUrl !== null && `, at ${baseUrl}`}
        </Text>
        <Group gap={4} wrap="nowrap">
          <Text size="xs" c="dimmed" className="break-anywhere">
            Get a key at {keysUrl}
          </Text>
          <CopyButton text={keysUrl} what={`address that gives out keys of ${name}`} />
        </Group>
      </Stack>
      <Group gap="xs">
        {hasKey && <ForgetKey provider={provider} />}
        <Button
          size="xs"
          variant="default"
          onClick={onChange}
          aria-haspopup="dialog"
          aria-label={hasKey ? `Change ${name}` : `Enter a key of ${name}`}
        >
          {hasKey ? 'Change' : 'Enter a key'}
        </Button>
      </Group>
    </Group>
  );
};

/** Deletes the owner's API key at a provider, after confirmation. */
const ForgetKey = ({ provider: { providerId, name } }: { provider: Provider }) => (
  <AskFirst
    label={`Forget key of ${name}`}
    means={`Its models make no pictures until you enter a key again. The key itself stays valid at ${name}: if somebody else may know it, revoke it there.`}
    confirm="Forget it"
    run={async () => {
      await ask('setImageProvider', { params: { providerId }, body: { apiKey: null } });
      await rereadModels();
    }}
    done={`The key of ${name} is forgotten.`}
  >
    Forget key
  </AskFirst>
);
