// The catalog's services: searched while typing, filtered by source, and added.
import { Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus, IconSearch, IconZoomQuestion } from '@tabler/icons-react';
import { useState } from 'react';
import { EmptyState } from '../../shared/EmptyState.tsx';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { counted } from '../../shared/format.ts';
import { Loading } from '../../shared/Screen.tsx';
import { AddService } from './AddService.tsx';
import { AllowForAgent } from './AllowForAgent.tsx';
import { ServiceCard } from './ServiceCard.tsx';
import { sources } from './service-words.ts';
import { Sources } from './Sources.tsx';
import { useCatalog, type Service, type Source } from './use-catalog.ts';

const typingMs = 250;
const sourceChoices = (Object.keys(sources) as Source[]).map((value) => ({ value, label: sources[value] }));

export const Services = () => {
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), typingMs);
  const [source, setSource] = useState<Source | null>(null);
  const [isAdding, setAdding] = useState(false);
  const [allowed, setAllowed] = useState<Service | null>(null);
  const { data, error, refetch, isPlaceholderData } = useCatalog(q, source);
  return (
    <Stack gap="md">
      <Group gap="xs">
        <TextInput
          type="search"
          aria-label="Search services"
          placeholder="What is it to do?"
          leftSection={<IconSearch size={18} aria-hidden />}
          flex="1 1 220px"
          maxLength={200}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Select
          aria-label="Source"
          placeholder="Every source"
          w={170}
          data={sourceChoices}
          value={source}
          onChange={setSource}
          clearable
          clearButtonProps={{ 'aria-label': 'Every source' }}
        />
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setAdding(true)}>
          Add a service
        </Button>
      </Group>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <>
          <Text size="sm" c="dimmed" role="status">
            {foundOf(data.results.length, data.total, q)}
          </Text>
          {data.results.length === 0 && <Nothing q={q} />}
          <SimpleGrid
            cols={{ base: 1, md: 2 }}
            spacing="md"
            component="ul"
            p={0}
            m={0}
            aria-label="Services"
            aria-busy={isPlaceholderData}
          >
            {data.results.map((service) => (
              <ServiceCard key={service.id} service={service} onAllow={() => setAllowed(service)} />
            ))}
          </SimpleGrid>
        </>
      )}
      <Sources />
      <AddService opened={isAdding} onClose={() => setAdding(false)} />
      <AllowForAgent service={allowed} onClose={() => setAllowed(null)} />
    </Stack>
  );
};

const foundOf = (shown: number, total: number, q: string): string => {
  if (shown < total) return `The first ${shown} of ${counted(total, 'service')}. Search for the others.`;
  return q === '' || total === 0 ? counted(total, 'service') : `${counted(total, 'service')}, best first`;
};

const Nothing = ({ q }: { q: string }) => (
  <EmptyState
    icon={<IconZoomQuestion size={40} />}
    title={q === '' ? 'There are no services here' : 'Nothing is like that'}
  >
    {q === '' ? 'Choose another source' : 'Try other words or another source'}, or add a paid API by its URL.
  </EmptyState>
);
