// The machine is linked.
import { Anchor, List, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { Notice } from '../../shared/ui/Notice.tsx';

export interface LinkedAgent {
  agentId: string;
  isNew: boolean;
}

/** @param agent null when the link was completed elsewhere */
export const Linked = ({ agent }: { agent: LinkedAgent | null }) => (
  <>
    <Notice color="teal" icon={<IconCheck aria-hidden />} title="Linked">
      Go back to your terminal: it has its key now.
    </Notice>
    <List size="sm" spacing={6} className="break-anywhere">
      {agent?.isNew === false ? (
        <List.Item>
          It pays with the USDC of <strong>{agent.agentId}</strong>, within the policy of that agent.
        </List.Item>
      ) : (
        <List.Item>
          {agent === null ? 'A new agent' : <strong>{agent.agentId}</strong>} has no USDC yet: add funds in
          the treasury.
        </List.Item>
      )}
      <List.Item>You can pause it, or revoke its keys, at any time.</List.Item>
    </List>
    <Text>
      <Anchor href="/#/agents" inherit underline="always">
        Open the dashboard
      </Anchor>
      , or close this page.
    </Text>
  </>
);
