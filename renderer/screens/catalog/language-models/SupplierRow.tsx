// One supplier of language models: its kind and address, whether it has a key, and whether agents may use it.
import { Badge, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { kindOf } from '../../../../server/contract/models/suppliers.ts';
import { ask } from '../../../api/owner.ts';
import { notifyFailure } from '../../../shared/notify.ts';
import { useCommand } from '../../../shared/hooks/use-command.ts';
import { AskFirst } from '../../../shared/ui/AskFirst.tsx';
import { rereadLanguageModels, type Supplier } from './reread.ts';

export const SupplierRow = ({ supplier, onChange }: { supplier: Supplier; onChange: () => void }) => {
  const { supplierId, name, kind, baseUrl, hasKey, enabled } = supplier;
  const { label, keysUrl } = kindOf(kind);
  const needsKey = keysUrl !== null && !hasKey;
  const turn = useCommand(async (isOn: boolean) => {
    await ask('setModelSupplier', { params: { supplierId }, body: { enabled: isOn } }).catch(
      notifyFailure(`${name} was not changed`),
    );
    await rereadLanguageModels();
  });
  return (
    <Group component="li" className="divided" justify="space-between" py="sm" gap="sm" aria-label={name}>
      <Stack gap={2} miw={0} flex="1 1 260px">
        <Group gap="xs">
          <Text fw={600} size="md" className="break-anywhere">
            {name}
          </Text>
          {(hasKey || needsKey) && (
            <Badge variant="dot" color={hasKey ? 'teal' : 'yellow'} tt="none" fw={600}>
              {hasKey ? 'Key saved' : 'No key'}
            </Badge>
          )}
        </Group>
        <Text c="dimmed" className="break-anywhere">
          {label}, at {baseUrl}
        </Text>
        <Text size="xs" c="dimmed" className="break-anywhere">
          {supplierId}
          {needsKey && ` · Get a key at ${keysUrl}`}
        </Text>
      </Stack>
      <Group gap="xs">
        <Switch
          label="On"
          aria-label={`On: ${name}`}
          checked={enabled}
          disabled={turn.isBusy}
          onChange={({ currentTarget }) => void turn.run(currentTarget.checked)}
        />
        <AskFirst
          label={`Remove ${name}`}
          means={`From then on no agent can use its models, and its key is deleted here. The key itself stays valid at the supplier: revoke it there if somebody else may know it. Limits and lists that name llm:${supplierId} keep the name.`}
          confirm="Remove"
          run={async () => {
            await ask('removeModelSupplier', { params: { supplierId } });
            await rereadLanguageModels();
          }}
          done={`${name} is removed.`}
          notDone={`${name} was not removed`}
        >
          Remove
        </AskFirst>
        <Button
          size="xs"
          variant="default"
          onClick={onChange}
          aria-haspopup="dialog"
          aria-label={`Change ${name}`}
        >
          Change
        </Button>
      </Group>
    </Group>
  );
};
