// An address or a signature: shortened where there is little room, whole for copying and screen readers.
import { Group, Text } from '@mantine/core';
import { CopyButton } from './CopyButton.tsx';
import { shorten } from '../format.ts';

interface AddressProps {
  value: string;
  what?: string;
  whole?: boolean;
}

export const Address = ({ value, what = 'address', whole = false }: AddressProps) => (
  <Group gap={4} wrap="nowrap" display="inline-flex">
    <Text span ff="monospace" title={value} {...(whole ? { className: 'break-anywhere' } : {})}>
      {whole ? value : shorten(value)}
    </Text>
    <CopyButton text={value} what={what} />
  </Group>
);
