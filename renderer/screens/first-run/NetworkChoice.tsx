// The choice of sandbox, devnet or mainnet, each explained.
import { Badge, Group, Radio, Stack, Text } from '@mantine/core';
import type { Network } from './setup-form.ts';

interface NetworkChoiceProps {
  value: Network;
  known: readonly Network[];
  onChange: (network: Network) => void;
}

const networks = [
  {
    id: 'sandbox',
    name: 'Sandbox',
    text: 'Your own Solana chain on this machine, with 1,000 test USDC. It is ready in seconds, and there is nothing to lose.',
  },
  { id: 'devnet', name: 'Devnet', text: 'Solana’s public test network. Its money has no value.' },
  { id: 'mainnet', name: 'Mainnet', text: 'Real USDC. Your agents’ payments cannot be reversed.' },
] as const satisfies readonly { id: Network; name: string; text: string }[];

export const NetworkChoice = ({ value, known, onChange }: NetworkChoiceProps) => (
  <Radio.Group label="Network" value={value} onChange={(chosen) => onChange(chosen as Network)}>
    <Stack gap="xs" mt="xs">
      {networks.map(({ id, name, text }) => (
        <Radio.Card key={id} value={id} p="md" aria-label={`${name}. ${text}`}>
          <Group wrap="nowrap" align="flex-start">
            <Radio.Indicator mt={2} />
            <div>
              <Group gap="xs">
                <Text fw={600} size="md">
                  {name}
                </Text>
                {known.includes(id) && (
                  <Badge variant="default" size="sm" tt="none">
                    on this machine
                  </Badge>
                )}
              </Group>
              <Text c="dimmed">{text}</Text>
            </div>
          </Group>
        </Radio.Card>
      ))}
    </Stack>
  </Radio.Group>
);
