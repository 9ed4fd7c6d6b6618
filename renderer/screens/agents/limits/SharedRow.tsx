// The row of a limit that an agent shares with its group, or with all agents, and the cells of its use.
import { Button, Table } from '@mantine/core';
import { Link } from 'wouter';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { whenOf } from '../../../shared/time.ts';
import { drawn, GaugeBar } from '../../../shared/ui/Gauge.tsx';
import { pathOfGroup } from '../groups/use-groups.ts';
import { labelOf, type UsedLimit } from './LimitGauges.tsx';
import { useServices } from './use-services.ts';

export const Use = ({ use, label }: { use: UsedLimit; label: string }) => (
  <>
    {drawn(use.used, '')}
    <GaugeBar {...use} label={`${label}: ${use.used} of ${use.limit} used`} />
  </>
);

interface SharedRowProps {
  node: Reply<'getLimits'>['above'][number]['node'];
  use: UsedLimit;
  frees: boolean;
}

/** It is changed where it is set. */
export const SharedRow = ({ node, use, frees }: SharedRowProps) => {
  const label = labelOf(use, useServices().names);
  const of = node.kind === 'group' ? `the group ${node.name}` : 'all agents';
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500} className="break-anywhere">
        {label}, {of}
      </Table.Th>
      <Table.Td>
        <Use use={use} label={`${label} of ${of}`} />
      </Table.Td>
      <Table.Td data-of>{drawn(use.limit)}</Table.Td>
      {frees && <Table.Td>{freeText(use)}</Table.Td>}
      <Table.Td ta="right">
        <Button
          variant="default"
          size="xs"
          component={Link}
          href={node.kind === 'group' ? pathOfGroup({ groupId: node.id }) : '/settings/limits'}
          aria-label={`Open the limits of ${of}: ${label}`}
        >
          Open
        </Button>
      </Table.Td>
    </Table.Tr>
  );
};

export const freeText = (use: UsedLimit, usedUp: Reply<'getLimits'>['forecast']['usedUp'] = []) => {
  if (use.freeAt !== null) return <span data-free>{whenOf(use.freeAt)}</span>;
  const end = 'serviceId' in use ? undefined : usedUp.find(({ field }) => field === use.field);
  return end && `Runs out around ${whenOf(end.at)}`;
};
