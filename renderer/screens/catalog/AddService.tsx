// Adds a paid API by its URL: first shows its own description, then asks the owner to confirm exactly that.
import { Card, DataList, List, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { Ask } from '../../../server/contract/owner-api.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { notifyDone } from '../../shared/notify.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { Form, FormEnd } from '../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../shared/ui/form-dialog.tsx';
import { refusedAt } from '../../shared/refused-at.ts';
import { reread } from '../../stores/queries.ts';
import { IconAlertTriangle, IconReplace } from '@tabler/icons-react';
import { Address } from '../../shared/ui/Address.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Fact } from '../../shared/ui/Fact.tsx';
import { Notice } from '../../shared/ui/Notice.tsx';

export const AddService = formDialog(() => 'Add a service', AddForm, { size: 'lg' });

interface Shown {
  /** The request of the preview; the same is sent to add it. */
  asked: NonNullable<Ask<'previewService'>['body']>;
  preview: Reply<'previewService'>;
}

const empty = { url: '', name: '' };

function AddForm({ onDone }: Done) {
  const [shown, setShown] = useState<Shown | null>(null);
  const form = useForm({ initialValues: empty, onValuesChange: () => setShown(null) });
  const look = useCommand(async ({ url, name }: typeof empty) => {
    const asked = { url: url.trim(), ...(name.trim() === '' ? {} : { name: name.trim() }) };
    add.reset();
    setShown({ asked, preview: await ask('previewService', { body: asked }) });
  });
  const add = useCommand(async ({ asked, preview: { hash, name } }: Shown) => {
    // Cleared first: a refused one has to be previewed again.
    setShown(null);
    await ask('addService', { body: { ...asked, hash } });
    await reread('searchServices');
    notifyDone(`${name} is in the catalog.`);
    onDone();
  });
  const { inputOf, command } = refusedAt(['url', 'name'], form, {
    isBusy: look.isBusy || add.isBusy,
    error: add.error ?? look.error,
  });
  const submit = form.onSubmit((values) => void (shown === null ? look.run(values) : add.run(shown)));
  return (
    <Form onSubmit={submit}>
      <TextInput
        label="URL"
        description="The address of a paid API. We’ll check its price; nothing is paid."
        placeholder="https://api.example.com/v1/quote"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        maxLength={2_000}
        data-autofocus
        {...inputOf('url')}
      />
      <TextInput
        label="Name"
        description="Optional. Without one, its address is used."
        autoComplete="off"
        maxLength={80}
        {...inputOf('name')}
      />
      {shown !== null && <ServicePreview preview={shown.preview} />}
      <FormEnd of={command} notDone="Nothing was added." onCancel={onDone}>
        {shown === null ? 'Check its price' : 'Add to the catalog'}
      </FormEnd>
    </Form>
  );
}

/** A paid API's own description, and the catalog entry that would be made of it. */
const ServicePreview = ({ preview }: { preview: Reply<'previewService'> }) => {
  const { serviceId, name, price, payees, origin, endpoint, replaces, warnings } = preview;
  return (
    <Stack gap="sm" role="status" aria-label="What the service says about itself">
      {warnings.length > 0 && (
        <Notice color="red" icon={<IconAlertTriangle aria-hidden />} title="Check this carefully">
          <List size="sm">
            {warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Notice>
      )}
      {replaces && (
        <Notice color="yellow" icon={<IconReplace aria-hidden />} title="This replaces an entry">
          You added {serviceId} before. It will be replaced by what is shown here.
        </Notice>
      )}
      <Card withBorder padding="sm">
        <DataList size="sm" gap={6} labelWidth={92}>
          <Fact label="Name">{name}</Fact>
          <Fact label="Price">
            <Amount whole value={price} /> a call
          </Fact>
          <Fact label="Payee">
            {payees.map((payee) => (
              <Address key={payee} value={payee} what="payee’s address" whole />
            ))}
            <Text size="xs" c="dimmed">
              It is pinned: no other address is ever paid for this service.
            </Text>
          </Fact>
          <Fact label="Endpoint">
            <Text span inherit ff="monospace" fz="xs">
              {endpoint}
            </Text>{' '}
            at {origin}
          </Fact>
          <Fact label="ID">
            <Text span inherit ff="monospace" fz="xs">
              {serviceId}
            </Text>
          </Fact>
        </DataList>
      </Card>
    </Stack>
  );
};
