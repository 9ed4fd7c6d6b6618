// The used part of each of an agent’s further limits, as a bar and in words.
import { Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import { fieldNamed } from '../../../server/contract/policy-fields.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { Amount } from '../../shared/Amount.tsx';
import { gaugeColor, percentOf, percentText } from '../../shared/share.ts';
import { whenOf } from '../../shared/time.ts';
import { Panel } from '../../shared/Panel.tsx';
import { useOwner } from '../../stores/queries.ts';

type Limits = Reply<'getLimits'>;
type Used = Limits['budgets'][number] | Limits['rates'][number];

/** The daily budget has a figure of its own. */
export const LimitGauges = ({ agentId, name }: { agentId: string; name: string }) => {
  const { data } = useOwner('getLimits', { params: { agentId } });
  if (data === undefined) return null;
  const further = [...data.budgets.filter(({ field }) => field !== 'dailyBudget'), ...data.rates];
  const { usedUp, monthEnd } = data.forecast;
  if (further.length === 0 && usedUp.length === 0 && monthEnd === null) return null;
  return (
    <Panel title="Used so far">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        {further.map((one) => (
          <LimitGauge key={one.field} used={one} of={name} />
        ))}
      </SimpleGrid>
      {usedUp.map(({ field, at, basis }) => (
        <Text key={field} size="sm">
          {fieldNamed(field)?.label ?? field}: used up {whenOf(at)}, {basis}.
        </Text>
      ))}
      {monthEnd !== null && (
        <Text size="sm">
          This month: <Amount value={monthEnd.amount} />, {monthEnd.basis}.
        </Text>
      )}
    </Panel>
  );
};

const drawn = (value: string | number) =>
  typeof value === 'string' ? <Amount value={value} /> : value.toLocaleString('en');

const LimitGauge = ({ used: one, of }: { used: Used; of: string }) => {
  const { field, limit, used, freeAt } = one;
  const label = fieldNamed(field)?.label ?? field;
  const percent = percentOf(String(used), String(limit));
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Group justify="space-between" gap={4}>
        <Text size="sm" className="may-wrap">
          <Text span inherit fw={600}>
            {drawn(used)}
          </Text>{' '}
          of {drawn(limit)}
        </Text>
        <Text size="sm" flex="none" className="amount" c={percent >= 100 ? 'red' : 'dimmed'}>
          {percentText(percent)}
        </Text>
      </Group>
      <Progress.Root size="sm">
        <Progress.Section
          value={Math.min(percent, 100)}
          color={gaugeColor(percent)}
          aria-label={`${label} of ${of}: ${used} of ${limit} used`}
        />
      </Progress.Root>
      {freeAt !== null && <Text size="xs">It can pay again {whenOf(freeAt)}.</Text>}
    </Stack>
  );
};
