// The used part of the limits of a node, as bars and in words.
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { fieldNamed } from '../../../../server/contract/limits/policy-fields.ts';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { whenOf } from '../../../shared/time.ts';
import { Gauge } from '../../../shared/ui/Gauge.tsx';
import type { ServiceNames } from './policy-sentence.ts';
import { useServices } from './use-services.ts';

export type Used = Pick<Reply<'getLimits'>, 'budgets' | 'rates' | 'services' | 'boost'>;
export type UsedLimit = (Used['budgets'] | Used['rates'] | Used['services'])[number];

/** By an amount or a number, so that its use can be drawn. */
export const usesOf = ({
  budgets,
  rates,
  services,
}: Pick<Used, 'budgets' | 'rates' | 'services'>): UsedLimit[] => [...budgets, ...rates, ...services];

export const isLimited = (used: Used): boolean => usesOf(used).length > 0;

/** @param of the node, for screen readers */
export const Gauges = ({ used, of }: { used: Used; of: string }) => {
  const { names } = useServices();
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      {usesOf(used).map((one) => {
        const label = labelOf(one, names);
        return (
          <Stack key={`${label} ${'serviceId' in one ? one.serviceId : ''}`} gap={4}>
            <Text c="dimmed" className="break-anywhere">
              {label}
            </Text>
            <Gauge {...one} label={`${label} of ${of}: ${one.used} of ${one.limit} used`} />
            {one.freeAt !== null && <Text size="xs">Some of it is free again {whenOf(one.freeAt)}.</Text>}
          </Stack>
        );
      })}
    </SimpleGrid>
  );
};

/** `Daily budget at Web Search`. */
export const labelOf = (used: { field: string; serviceId?: string }, names: ServiceNames): string => {
  const label = fieldNamed(used.field)?.label ?? used.field;
  return used.serviceId === undefined ? label : `${label} at ${names.get(used.serviceId) ?? used.serviceId}`;
};
