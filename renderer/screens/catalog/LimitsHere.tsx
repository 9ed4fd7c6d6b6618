// The limits of its own that agents, groups and the treasury have at a service.
import { Stack, Text } from '@mantine/core';
import { serviceLimitWords } from '../../../server/contract/service-limits.ts';
import { Panel } from '../../shared/Panel.tsx';
import { NodeName } from '../groups/NodeName.tsx';
import type { Ruled } from './use-catalog.ts';

export const LimitsHere = ({ ruled: { serviceId, limits, service } }: { ruled: Ruled }) => {
  if (limits.length === 0) return null;
  return (
    <Panel title="Limits at this service">
      {service === null && !isOrigin(serviceId) && <Text size="sm">{noLongerHold}</Text>}
      <Stack gap="xs" role="list">
        {limits.map(({ node, limit }) => (
          <div key={`${node.kind} ${node.id}`} role="listitem">
            <Text size="sm" component="div" className="break-anywhere">
              <NodeName node={node} />
            </Text>
            <Text size="sm" c="dimmed">
              At most {serviceLimitWords(limit)}
            </Text>
          </div>
        ))}
      </Stack>
    </Panel>
  );
};

/** A service outside the catalog is named by its origin. */
const isOrigin = (serviceId: string): boolean => serviceId.includes('://');

const noLongerHold =
  'These limits no longer hold: the catalog does not list it, and payments to its address count as those of the address.';
