// A node that carries limits, by its name.
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { AgentName } from '../../../shared/ui/AgentName.tsx';
import { pathOfGroup } from '../groups/use-groups.ts';

type Node = Reply<'getService'>['limits'][number]['node'];

export const NodeName = ({ node: { kind, id, name } }: { node: Node }) => {
  if (kind === 'agent') return <AgentName agentId={id} />;
  if (kind === 'key') return <>The delegated key {name}</>;
  if (kind === 'treasury') return <>All agents together</>;
  return (
    <>
      The group{' '}
      <Anchor component={Link} href={pathOfGroup({ groupId: id })} inherit underline="always">
        {name}
      </Anchor>
    </>
  );
};
