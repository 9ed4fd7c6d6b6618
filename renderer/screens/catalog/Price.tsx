// A service's price: fixed, by resolution, or quoted by its seller at each call.
import { Text } from '@mantine/core';
import { Fragment } from 'react';
import { isModelService } from '../../../server/contract/models/suppliers.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { isSamePrice } from './prices.ts';
import type { Service } from './use-catalog.ts';

interface PriceProps extends Pick<Service, 'price' | 'pricing'> {
  /** Of a service. The list of image models says once that its prices are those of a picture. */
  id?: string;
}

export const Price = ({ id, price, pricing }: PriceProps) => {
  const all = Object.entries(pricing);
  const [, first] = all[0] ?? [];
  const one = price ?? (all.every(([, other]) => isSamePrice(first, other)) ? first : undefined);
  if (all.length === 0 && price === null)
    return (
      <Text c="dimmed">
        {id !== undefined && isModelService(id)
          ? 'Priced by the tokens of each request.'
          : 'The seller names its price at each call.'}
      </Text>
    );
  return (
    <Text component="div">
      {one === undefined ? (
        all.map(([resolution, amount], index) => (
          <Fragment key={resolution}>
            <Text span inherit c="dimmed">
              {resolution}&nbsp;
            </Text>
            <Amount value={amount} fw={650} {...(index < all.length - 1 && { currency: '' })} />
            {index < all.length - 1 && ' · '}
          </Fragment>
        ))
      ) : (
        <Amount value={one} fw={650} />
      )}
      {id !== undefined && (
        <Text size="xs" c="dimmed">
          {price === null ? 'a picture' : 'a call'}
        </Text>
      )}
    </Text>
  );
};
