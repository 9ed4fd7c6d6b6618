// The facilitators whose lists are imported: progress, adding and removing.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ask } from '../../api/owner.ts';
import { AskFirst } from '../../shared/ui/AskFirst.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Form } from '../../shared/ui/Form.tsx';
import { notifyFailure } from '../../shared/notify.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { outdate, useOwner } from '../../stores/queries.ts';
import { progressOf, type CatalogSource } from './service-words.ts';

const reread = (): void => outdate(['listSources', 'searchServices']);

export const Sources = () => {
  const { data, error } = useOwner('listSources');
  const [url, setUrl] = useState('');
  const add = useCommand(async () => {
    await ask('addSource', { body: { url: url.trim() } });
    setUrl('');
    reread();
  });
  return (
    <Panel
      title="Imported lists"
      note="Lists of paid APIs, imported every six hours. A service’s payee changes only with your approval."
    >
      {data?.sources.map((source) => (
        <SourceRow key={source.sourceId} source={source} />
      ))}
      {data?.sources.length === 0 && <Text c="dimmed">No lists are imported yet.</Text>}
      <Form onSubmit={() => void add.run()}>
        <Group gap="xs" align="end">
          <TextInput
            label="Import from"
            description="Address of a facilitator or a seller"
            placeholder={data?.suggestions[0]?.url ?? 'https://facilitator.example'}
            flex="1 1 220px"
            maw={560}
            value={url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={add.isBusy}>
            Import list
          </Button>
        </Group>
        <ErrorNote error={add.error ?? error} />
      </Form>
    </Panel>
  );
};

const SourceRow = ({ source }: { source: CatalogSource }) => {
  const { sourceId, name, url, state } = source;
  const params = { sourceId };
  return (
    <Group justify="space-between" gap="xs">
      <Stack gap={0} miw={0}>
        <Text className="break-anywhere">
          {name} ({url})
        </Text>
        <Text c="dimmed" role="status">
          {progressOf(source)}
        </Text>
      </Stack>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          loading={state === 'running'}
          onClick={() =>
            void ask('refreshSource', { params }).then(
              reread,
              notifyFailure('The list was not imported again'),
            )
          }
          aria-label={`Refresh ${name}`}
        >
          Refresh
        </Button>
        <AskFirst
          label={`Remove ${name}`}
          means="Its entries stay in the catalog, marked as no longer listed."
          confirm="Remove"
          run={() => ask('removeSource', { params }).then(reread)}
          done={`${name} is removed.`}
        >
          Remove
        </AskFirst>
      </Group>
    </Group>
  );
};
