// The prices of one image model, edited and saved in place; changed defaults are marked.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ask } from '../../api/owner.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { fieldErrors } from '../../shared/field-errors.ts';
import { MoneyInput } from '../../shared/ui/MoneyInput.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { Form } from '../../shared/ui/Form.tsx';
import { changedPrices, isSamePrice, priceErrors, type ModelSettings, type Prices } from './prices.ts';
import { rereadModels } from './reread-models.ts';

interface PriceFormProps {
  model: ModelSettings;
  isSaved: boolean;
  onSaved: () => void;
}

/** Needs a `key` that changes with the prices. */
export const PriceForm = ({ model, isSaved, onSaved }: PriceFormProps) => {
  const { id, displayName, pricing, shippedPricing } = model;
  const form = useForm<Prices>({ initialValues: pricing, validate: priceErrors });
  const save = useCommand(async (prices: Prices) => {
    await ask('setModel', { params: { modelId: id }, body: { pricing: prices } });
    onSaved();
    await rereadModels();
  });
  const changes = changedPrices(pricing, form.values);
  const resolutions = Object.keys(pricing);
  const named = fieldErrors(
    save.error,
    resolutions.map((resolution) => `pricing.${resolution}`),
  );
  return (
    <Form gap="xs" onSubmit={form.onSubmit(() => void save.run(changes))}>
      <Group gap="xs" align="flex-start">
        {resolutions.map((resolution) => {
          const shipped = shippedPricing[resolution];
          return (
            <Stack key={resolution} gap={2} flex="1 1 100px" maw={180}>
              <MoneyInput
                label={`At ${resolution}`}
                aria-label={`Price of ${displayName} at ${resolution}`}
                size="xs"
                disabled={save.isBusy}
                {...form.getInputProps(resolution)}
                error={form.errors[resolution] ?? named?.[`pricing.${resolution}`]}
              />
              {shipped !== undefined && !isSamePrice(shipped, pricing[resolution]) && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  disabled={save.isBusy}
                  onClick={() => void save.run({ [resolution]: shipped })}
                  aria-label={`Reset to ${shipped}: ${displayName} at ${resolution}`}
                  title="Its original price"
                >
                  Reset to {shipped}
                </Button>
              )}
            </Stack>
          );
        })}
      </Group>
      {named === null && <ErrorNote error={save.error} notDone="The price was not changed." />}
      {Object.keys(changes).length === 0 ? (
        <Text size="xs" c="dimmed" role="status">
          {isSaved && 'Saved'}
        </Text>
      ) : (
        <Group gap="xs">
          <Button type="submit" size="compact-sm" loading={save.isBusy}>
            Save
          </Button>
          <Button size="compact-sm" variant="default" disabled={save.isBusy} onClick={form.reset}>
            Discard
          </Button>
        </Group>
      )}
    </Form>
  );
};
