// A service's price: fixed, by resolution, or quoted by its seller at each call.
import { Group, Text } from '@mantine/core';
import { Amount } from '../../shared/ui/Amount.tsx';
import type { Service } from './use-catalog.ts';

export const Price = ({ price, pricing }: Pick<Service, 'price' | 'pricing'>) => {
  const prices = Object.entries(pricing);
  if (price !== null)
    return (
      <Text fw={650} size="md">
        <Amount value={price} />{' '}
        <Text span inherit c="dimmed" fz="sm" fw={400}>
          a call
        </Text>
      </Text>
    );
  if (prices.length === 0) return <Text c="dimmed">The seller names its price at each call.</Text>;
  return (
    <Group gap="md" component="ul" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Prices">
      {prices.map(([resolution, one]) => (
        <Text key={resolution} component="li" fw={650} size="md">
          <Text span inherit c="dimmed" fz="sm" fw={400}>
            {resolution}
          </Text>{' '}
          <Amount value={one} />
        </Text>
      ))}
    </Group>
  );
};
