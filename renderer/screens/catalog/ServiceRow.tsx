// One service of the list: what it is for, its price, and how it did. Its page has the rest.
import { Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import styles from './catalog.module.css';
import { Price } from './Price.tsx';
import { ServiceMarks } from './ServiceMarks.tsx';
import { counted } from '../../shared/format.ts';
import { categoryLabel, experienceOf, pathOfService, sources } from './service-words.ts';
import type { Service } from './use-catalog.ts';

interface ServiceRowProps {
  service: Service;
  /** Its payments; undefined without one, or until they are counted. */
  paid: number | undefined;
  onAllow: () => void;
}

export const ServiceRow = ({ service, paid, onAllow }: ServiceRowProps) => {
  const { id, name, description, category, source, addedByOwner, blocked } = service;
  return (
    <li className={`divided ${styles['service']}`} aria-label={name}>
      <Stack gap={4} miw={0}>
        <Group gap="xs">
          <Anchor
            component={Link}
            href={pathOfService(id)}
            c="inherit"
            size="md"
            fw={650}
            className="break-anywhere"
            title={id}
          >
            {name}
          </Anchor>
          {blocked === true && (
            <Badge color="red" variant="light" tt="none" fw={600}>
              Blocked
            </Badge>
          )}
        </Group>
        <Text c="dimmed" className="break-anywhere" lineClamp={3}>
          {description}
        </Text>
        <ServiceMarks service={service} />
      </Stack>
      <div className="may-wrap">
        <Price {...service} />
      </div>
      <Text size="xs" c="dimmed" className="break-anywhere">
        {categoryLabel(category)} · {addedByOwner ? 'Added by you' : sources[source]}
        <br />
        {[
          paid && (source === 'model-registry' ? `${paid} paid` : counted(paid, 'payment')),
          ...experienceOf(service),
        ]
          .filter(Boolean)
          .slice(0, 2)
          .join(' · ')}
      </Text>
      <Button
        size="xs"
        variant="default"
        onClick={onAllow}
        aria-haspopup="dialog"
        aria-label={`Allow for an agent: ${name}`}
      >
        <Text span inherit visibleFrom="md">
          Allow for an agent
        </Text>
        <Text span inherit hiddenFrom="md">
          Allow
        </Text>
      </Button>
    </li>
  );
};
