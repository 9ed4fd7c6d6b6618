// An address, with the owner's label, a signature or an ID: shortened where there is little room, whole for copying and screen readers.
import { Group, Text } from '@mantine/core';
import { chunk } from '../chunk.tsx';
import { useLabel } from '../hooks/use-label.ts';
import { CopyButton } from './CopyButton.tsx';
import { shorten } from '../format.ts';

interface AddressProps {
  value: string;
  what?: string;
  whole?: boolean;
  /** The owner can label it here. */
  mayLabel?: boolean;
}

const LabelButton = chunk(() => import('../LabelButton.tsx'), { what: 'The label', waiting: null });

export const Label = ({ of }: { of: string }) => {
  const label = useLabel(of);
  return label !== undefined && <Text span inherit fw={600}>{`“${label}” `}</Text>;
};

export const Address = ({ value, what = 'address', whole = false, mayLabel = false }: AddressProps) => (
  <Group gap={4} wrap={mayLabel ? 'wrap' : 'nowrap'} display="inline-flex">
    <Label of={value} />
    <Text
      span
      ff="monospace"
      title={value}
      {...(whole ? { className: 'break-anywhere' } : { style: { whiteSpace: 'nowrap' } })}
    >
      {whole ? value : shorten(value)}
    </Text>
    <CopyButton text={value} what={what} />
    {mayLabel && <LabelButton address={value} />}
  </Group>
);
