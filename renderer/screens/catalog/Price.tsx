// A service's price: fixed, by resolution, or quoted by its seller at each call.
import { Text } from '@mantine/core';
import { Fragment } from 'react';
import { Amount } from '../../shared/ui/Amount.tsx';
import type { Service } from './use-catalog.ts';

interface PriceProps extends Pick<Service, 'price' | 'pricing'> {
  /** The decimals of its column. */
  places?: number;
}

export const Price = ({ price, pricing, places }: PriceProps) => {
  const [first, ...larger] = Object.entries(pricing);
  const inColumn = places === undefined ? {} : { places };
  if (price !== null || first !== undefined)
    return (
      <div>
        <Text fw={650} size="md">
          <Amount value={price ?? first?.[1] ?? ''} {...inColumn} />{' '}
          <Text span inherit c="dimmed" fz="sm" fw={400}>
            {price === null ? 'a picture' : 'a call'}
          </Text>
        </Text>
        {price === null && larger.length > 0 && (
          <Text size="xs" c="dimmed">
            at {first?.[0]}
            {larger.map(([resolution, one]) => (
              <Fragment key={resolution}>
                , <Amount value={one} currency="" /> at {resolution}
              </Fragment>
            ))}
          </Text>
        )}
      </div>
    );
  return <Text c="dimmed">The seller names its price at each call.</Text>;
};
