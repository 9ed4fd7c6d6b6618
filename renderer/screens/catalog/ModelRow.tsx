// One image model: its purpose, its price at each resolution, and whether agents may use it.
import { Button, Group, Stack, Switch, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { ask } from '../../api/owner.ts';
import { notifyFailure } from '../../shared/notify.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import styles from './catalog.module.css';
import { PriceForm } from './PriceForm.tsx';
import type { ModelSettings } from './prices.ts';
import { rereadModels } from './reread-models.ts';

interface ModelRowProps {
  model: ModelSettings;
  onNeedsKey: () => void;
}

export const ModelRow = ({ model, onNeedsKey }: ModelRowProps) => {
  const { id, displayName, provider, description, enabled, usable, pricing } = model;
  const [isSaved, setSaved] = useState(false);
  const offer = useCommand(async (isOffered: boolean) => {
    await ask('setModel', { params: { modelId: id }, body: { enabled: isOffered } }).catch(
      notifyFailure(`${displayName} was not changed`),
    );
    await rereadModels();
  });
  return (
    <li className={`divided ${styles['model'] ?? ''}`} aria-label={displayName}>
      <Stack gap={4} miw={0}>
        <Group gap="xs">
          <Text fw={600} className="break-anywhere" size="md">
            {displayName}
          </Text>
          <Text c="dimmed">{provider}</Text>
        </Group>
        <Text>{description}</Text>
        <Text size="xs" c="dimmed" ff="monospace" className="break-anywhere">
          {id}
        </Text>
        {!usable && (
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="light"
              color="yellow"
              leftSection={<IconKey size={14} aria-hidden />}
              onClick={onNeedsKey}
            >
              Needs your {provider} key
            </Button>
          </Group>
        )}
      </Stack>
      <PriceForm key={JSON.stringify(pricing)} {...{ model, isSaved }} onSaved={() => setSaved(true)} />
      <Switch
        label="Available"
        aria-label={`Available to agents: ${displayName}`}
        checked={enabled}
        disabled={offer.isBusy}
        onChange={({ currentTarget }) => void offer.run(currentTarget.checked)}
      />
    </li>
  );
};
