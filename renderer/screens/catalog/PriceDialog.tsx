// The prices of one image model at each resolution, and the original ones to return to.
import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ask } from '../../api/owner.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { notifyDone } from '../../shared/notify.ts';
import { refusedAt } from '../../shared/refused-at.ts';
import { Form, FormEnd } from '../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../shared/ui/form-dialog.tsx';
import { MoneyInput } from '../../shared/ui/MoneyInput.tsx';
import { changedPrices, isSamePrice, priceErrors, type ModelSettings, type Prices } from './prices.ts';
import { rereadModels } from './reread.ts';

const PriceForm = ({ model, onDone }: { model: ModelSettings } & Done) => {
  const { id, displayName, pricing, shippedPricing } = model;
  const form = useForm<Prices>({ initialValues: pricing, validate: priceErrors });
  const changes = changedPrices(pricing, form.values);
  const save = useCommand(async () => {
    await ask('setModel', { params: { modelId: id }, body: { pricing: changes } });
    await rereadModels();
    notifyDone(`The prices of ${displayName} are saved.`);
    onDone();
  });
  const resolutions = Object.keys(pricing);
  const { inputOf, command } = refusedAt(resolutions, form, save, 'pricing.');
  return (
    <Form onSubmit={form.onSubmit(() => void save.run())}>
      {resolutions.map((resolution) => {
        const shipped = shippedPricing[resolution];
        return (
          <Stack key={resolution} gap={4} align="flex-start">
            <MoneyInput
              label={`At ${resolution}`}
              aria-label={`Price of ${displayName} at ${resolution}`}
              w="100%"
              {...inputOf(resolution)}
            />
            {shipped !== undefined && !isSamePrice(shipped, form.values[resolution]) && (
              <Button
                size="compact-xs"
                variant="subtle"
                onClick={() => form.setFieldValue(resolution, shipped)}
              >
                Back to {shipped}
              </Button>
            )}
          </Stack>
        );
      })}
      <FormEnd
        of={command}
        notDone="The prices were not changed."
        onCancel={onDone}
        disabled={Object.keys(changes).length === 0}
      >
        Save
      </FormEnd>
    </Form>
  );
};

export const PriceDialog = formDialog<{ model: ModelSettings }>(
  ({ model }) => `Prices of ${model.displayName}`,
  PriceForm,
);
