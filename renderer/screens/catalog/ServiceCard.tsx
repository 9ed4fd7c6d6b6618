// One service: its purpose, price and payee, and the record of its calls.
import { Badge, Button, Card, DataList, Group, Stack, Text, Title } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { Address } from '../../shared/Address.tsx';
import { Fact } from '../../shared/Fact.tsx';
import { Price } from './Price.tsx';
import { RemoveService } from './RemoveService.tsx';
import { ServiceMarks } from './ServiceMarks.tsx';
import { experienceOf, sources } from './service-words.ts';
import type { Service } from './use-catalog.ts';

interface ServiceCardProps {
  service: Service;
  onAllow: () => void;
}

export const ServiceCard = ({ service, onAllow }: ServiceCardProps) => {
  const { id, name, description, category, endpoint, origin, payees, source, addedByOwner, reputation } =
    service;
  return (
    <Card withBorder bg="var(--card)" padding="md" component="li" h="100%" aria-label={name}>
      <Stack gap="sm" h="100%">
        <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
          <Stack gap={0} miw={0}>
            <Title order={2} size="h5" className="break-anywhere">
              {name}
            </Title>
            <Text size="xs" c="dimmed" ff="monospace" className="break-anywhere">
              {id}
            </Text>
          </Stack>
          <Badge variant="default" tt="none" fw={600}>
            {addedByOwner ? 'Added by you' : sources[source]}
          </Badge>
        </Group>
        <Price {...service} />
        <ServiceMarks service={service} />
        <Text size="sm" className="break-anywhere" lineClamp={3}>
          {description}
        </Text>
        <DataList size="sm" gap={4} labelWidth={92}>
          <Fact label="Category">{category}</Fact>
          <Fact label="Endpoint">
            <Text span inherit ff="monospace" fz="xs">
              {origin === '' ? endpoint : `${endpoint} · ${origin}`}
            </Text>
          </Fact>
          <Fact label="Payee">
            {payees.map((payee) => (
              <Address key={payee} value={payee} what={`payee of ${name}`} />
            ))}
          </Fact>
          <Fact label="So far">{experienceOf(reputation).join(' · ')}</Fact>
        </DataList>
        <Group gap="xs" mt="auto">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconShieldCheck size={16} aria-hidden />}
            onClick={onAllow}
            aria-haspopup="dialog"
            aria-label={`Allow for an agent: ${name}`}
          >
            Allow for an agent
          </Button>
          {addedByOwner && <RemoveService id={id} name={name} />}
        </Group>
      </Stack>
    </Card>
  );
};
