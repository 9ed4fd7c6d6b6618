// The used part of an agent’s further limits, and of those of its group and of the treasury, as bars and in words.
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { fieldNamed } from '../../../../server/contract/limits/policy-fields.ts';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { whenOf } from '../../../shared/time.ts';
import { Gauge } from '../../../shared/ui/Gauge.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { useOwner } from '../../../stores/queries.ts';
import { NodeName } from '../nodes/NodeName.tsx';

type Used = Pick<Reply<'getLimits'>, 'budgets' | 'rates' | 'services'>;
type UsedLimit = (Used['budgets'] | Used['rates'] | Used['services'])[number];

/** By an amount or a number, whose use can be drawn. */
export const isLimited = ({ budgets, rates, services }: Used): boolean =>
  budgets.length + rates.length + services.length > 0;

/** The agent's daily budget has a figure of its own. */
export const LimitGauges = ({ agentId, name }: { agentId: string; name: string }) => {
  const { data } = useOwner('getLimits', { params: { agentId } });
  if (data === undefined) return null;
  const further = { ...data, budgets: data.budgets.filter(({ field }) => field !== 'dailyBudget') };
  const above = data.above.filter(isLimited);
  const { usedUp, monthEnd } = data.forecast;
  if (!isLimited(further) && above.length === 0 && usedUp.length === 0 && monthEnd === null) return null;
  return (
    <Panel title="Used so far">
      {isLimited(further) && <Gauges used={further} of={name} />}
      {usedUp.map(({ field, at }) => (
        <Text key={field} size="sm">
          {fieldNamed(field)?.label ?? field}: runs out around {whenOf(at)} at this rate.
        </Text>
      ))}
      {monthEnd !== null && (
        <Text size="sm">On track for about {Number(monthEnd.amount).toFixed(2)} USDC this month.</Text>
      )}
      {above.map((one) => (
        <Stack key={one.node.id} gap="xs">
          <Text size="sm" fw={600} className="break-anywhere">
            <NodeName node={one.node} />
          </Text>
          <Gauges used={one} of={one.node.kind === 'group' ? `the group ${one.node.name}` : 'all agents'} />
        </Stack>
      ))}
    </Panel>
  );
};

/** @param of the node, for screen readers */
export const Gauges = ({ used: { budgets, rates, services }, of }: { used: Used; of: string }) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
    {[...budgets, ...rates, ...services].map((one) => (
      <LimitGauge key={labelOf(one)} used={one} of={of} />
    ))}
  </SimpleGrid>
);

const labelOf = (used: UsedLimit): string => {
  const label = fieldNamed(used.field)?.label ?? used.field;
  return 'serviceId' in used ? `${label} at ${used.serviceId}` : label;
};

const LimitGauge = ({ used: one, of }: { used: UsedLimit; of: string }) => {
  const { limit, used, freeAt } = one;
  const label = labelOf(one);
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed" className="break-anywhere">
        {label}
      </Text>
      <Gauge used={used} limit={limit} label={`${label} of ${of}: ${used} of ${limit} used`} />
      {freeAt !== null && <Text size="xs">Some of it is free again {whenOf(freeAt)}.</Text>}
    </Stack>
  );
};
