// The catalog's services as rows: searched while typing, by category and source, in the chosen order, more on scroll.
import { Button, Chip, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useIntersection } from '@mantine/hooks';
import { IconPlus, IconSearch, IconZoomQuestion } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTotals } from '../../shared/hooks/use-totals.ts';
import { EmptyState } from '../../shared/ui/EmptyState.tsx';
import { QueryState } from '../../shared/ui/Screen.tsx';
import { counted } from '../../shared/format.ts';
import { ShowMore } from '../../shared/ui/ShowMore.tsx';
import { useOwner } from '../../stores/queries.ts';
import { AddService } from './AddService.tsx';
import { AllowForAgent } from './AllowForAgent.tsx';
import { ServiceRow } from './ServiceRow.tsx';
import { categoryLabel, orders, sources } from './service-words.ts';
import { paymentsOf } from './ServiceUsers.tsx';
import { choicesOf } from '../../shared/choices.ts';
import { useCatalog, type Order, type Service, type Source, type Wanted } from './use-catalog.ts';

const typingMs = 250;
export const Services = () => {
  const [wanted, setWanted] = useState<Wanted>({ q: '', source: null, category: null, order: 'used' });
  const [isAdding, setAdding] = useState(false);
  const [q] = useDebouncedValue(wanted.q.trim(), typingMs);
  const set = (change: Partial<Wanted>): void => setWanted((before) => ({ ...before, ...change }));
  return (
    <Stack gap="md">
      <Group gap="xs">
        <TextInput
          type="search"
          aria-label="Search services"
          placeholder="Search by what it does"
          leftSection={<IconSearch size={18} aria-hidden />}
          flex="1 1 220px"
          maxLength={200}
          value={wanted.q}
          onChange={({ currentTarget }) => set({ q: currentTarget.value })}
        />
        <Select
          aria-label="Source"
          placeholder="All sources"
          flex="1 1 140px"
          maw={200}
          data={choicesOf(sources)}
          value={wanted.source}
          onChange={(source) => set({ source: source as Source | null })}
          clearable
          clearButtonProps={{ 'aria-label': 'All sources' }}
        />
        <Select
          aria-label="Order"
          flex="1 1 140px"
          maw={215}
          data={choicesOf(orders)}
          value={wanted.order}
          onChange={(order) => set({ order: order as Order })}
          allowDeselect={false}
        />
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setAdding(true)}>
          Add a service
        </Button>
      </Group>
      <Categories chosen={wanted.category} onChoose={(category) => set({ category })} />
      <Found wanted={{ ...wanted, q, order: q !== '' && wanted.order === 'used' ? 'best' : wanted.order }} />
      <AddService opened={isAdding} onClose={() => setAdding(false)} />
    </Stack>
  );
};

const mostCategories = 12;

const Categories = (props: { chosen: string | null; onChoose: (category: string | null) => void }) => {
  const all = useOwner('serviceCategories').data?.categories ?? [];
  if (all.length < 2) return null;
  return (
    <Group gap={6} role="group" aria-label="Categories">
      {all.slice(0, mostCategories).map(({ category, services }) => (
        <Chip
          key={category}
          size="xs"
          checked={props.chosen === category}
          onChange={(isChosen) => props.onChoose(isChosen ? category : null)}
        >
          {categoryLabel(category)} <span aria-label={counted(services, 'service')}>({services})</span>
        </Chip>
      ))}
    </Group>
  );
};

const Found = ({ wanted }: { wanted: Wanted }) => {
  const [allowed, setAllowed] = useState<Service | null>(null);
  const found = useCatalog(wanted);
  const { data: paid } = useTotals(paymentsOf());
  const { services, total, hasNextPage, isFetchingNextPage, fetchNextPage } = found;
  const { ref, entry } = useIntersection({ rootMargin: '600px' });
  const isNear = entry?.isIntersecting === true;
  useEffect(() => {
    if (isNear && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [isNear, hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <>
      <QueryState of={found} />
      {found.isRead && (
        <Text c="dimmed" role="status">
          {total === 0 ? 'No services' : counted(total, 'service')}
        </Text>
      )}
      {found.isRead && services.length === 0 && <Nothing q={wanted.q} />}
      <Stack
        component="ul"
        gap={0}
        m={0}
        p={0}
        aria-label="Services"
        aria-busy={found.isPlaceholderData || isFetchingNextPage}
      >
        {services.map((service) => (
          <ServiceRow
            key={service.id}
            service={service}
            paid={paid?.services.find(({ serviceId }) => serviceId === service.id)?.payments}
            onAllow={() => setAllowed(service)}
          />
        ))}
      </Stack>
      {hasNextPage && <ShowMore isBusy={isFetchingNextPage} onMore={fetchNextPage} ref={ref} />}
      <AllowForAgent service={allowed} onClose={() => setAllowed(null)} />
    </>
  );
};

const Nothing = ({ q }: { q: string }) => (
  <EmptyState
    icon={<IconZoomQuestion size={40} />}
    title={q === '' ? 'There are no services here' : 'No results'}
  >
    {q === '' ? 'Choose another category or source' : 'Try other words, or another category or source'}, or
    add a paid API by its URL.
  </EmptyState>
);
