// One language model of a supplier: what it costs and by whose word, and whether agents may use it.
import { Badge, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { ask } from '../../../api/owner.ts';
import { useCommand } from '../../../shared/hooks/use-command.ts';
import { notifyFailure } from '../../../shared/notify.ts';
import { rereadLanguageModels, type LanguageModel } from './reread.ts';

interface LanguageModelRowProps {
  model: LanguageModel;
  /** Its name. */
  supplier: string;
  onChange: () => void;
}

export const LanguageModelRow = ({ model, supplier, onChange }: LanguageModelRowProps) => {
  const { supplierId, modelId, enabled, isDefault, maxOutput, priceSource } = model;
  const name = `${supplierId}/${modelId}`;
  const turn = useCommand(async (isOn: boolean) => {
    await ask('setLanguageModel', { body: { supplierId, modelId, enabled: isOn } }).catch(
      notifyFailure(`${modelId} was not changed`),
    );
    await rereadLanguageModels();
  });
  return (
    <Group component="li" className="divided" justify="space-between" py="sm" gap="sm" aria-label={name}>
      <Stack gap={2} miw={0} flex="1 1 260px">
        <Group gap="xs">
          <Text ff="monospace" className="break-anywhere">
            {modelId}
          </Text>
          <Text c="dimmed">{supplier}</Text>
          {priceSource === 'owner' && <Badge tt="none">Your price</Badge>}
          {priceSource === null && (
            <Badge color="yellow" tt="none">
              No price
            </Badge>
          )}
          {isDefault && (
            <Badge variant="default" tt="none">
              Default
            </Badge>
          )}
        </Group>
        <Text c="dimmed">
          {priceOf(model)}
          {maxOutput !== null && ` · at most ${maxOutput.toLocaleString('en')} tokens of output`}
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

const priceOf = ({ inputPerMillion, outputPerMillion, tiers }: LanguageModel): string => {
  if (inputPerMillion === null || outputPerMillion === null) return 'Refused until you enter its price';
  const dearer = tiers.map(
    (tier) =>
      `; above ${tier.above.toLocaleString('en')} tokens ${tier.inputPerMillion} and ${tier.outputPerMillion}`,
  );
  return `${inputPerMillion} for input, ${outputPerMillion} for output${dearer.join('')}`;
};
