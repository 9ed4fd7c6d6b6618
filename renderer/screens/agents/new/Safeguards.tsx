// The two safeguards of a new agent, on unless the owner turns them off.
import { Checkbox, Stack } from '@mantine/core';
import { allSafeguards, type Safeguard } from './new-agent.ts';

const words: Record<Safeguard, { label: string; description: string }> = {
  new_payees: {
    label: 'Ask me before it pays someone new',
    description: 'You can change this and more in its policy later',
  },
  unusual: {
    label: 'Ask me when it does something unusual',
    description: 'For example, the same call over and over, or a sudden price rise',
  },
};

interface SafeguardsProps {
  value: readonly Safeguard[];
  onChange: (value: Safeguard[]) => void;
}

export const Safeguards = ({ value, onChange }: SafeguardsProps) => (
  <Stack gap="sm">
    {allSafeguards.map((one) => (
      <Checkbox
        key={one}
        {...words[one]}
        checked={value.includes(one)}
        onChange={({ currentTarget: { checked } }) =>
          onChange(allSafeguards.filter((other) => (other === one ? checked : value.includes(other))))
        }
      />
    ))}
  </Stack>
);
