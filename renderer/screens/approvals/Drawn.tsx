// A value of a policy. Services go by their names, with their ids: a seller chooses its own name.
import { Text } from '@mantine/core';
import { Amount } from '../../shared/Amount.tsx';
import { useServices } from '../agents/use-services.ts';
import type { Value } from './policy-changes.ts';

export const Drawn = ({ value }: { value: Value }) => {
  switch (value.kind) {
    case 'amount':
      return <Amount whole value={value.amount} />;
    case 'services':
      return <Services ids={value.ids} />;
    case 'text':
      return (
        <Text span size="sm" className="break-anywhere">
          {value.text}
        </Text>
      );
  }
};

const Services = ({ ids }: { ids: readonly string[] }) => {
  const { names } = useServices();
  return (
    <Text span size="sm" className="break-anywhere">
      {ids.map((id) => (names.has(id) && names.get(id) !== id ? `${names.get(id)} (${id})` : id)).join(', ')}
    </Text>
  );
};
