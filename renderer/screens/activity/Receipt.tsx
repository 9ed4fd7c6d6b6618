// The receipt that the agent hands to the service.
import { Code, Group } from '@mantine/core';
import { CopyButton } from '../../shared/CopyButton.tsx';
import { Panel } from '../../shared/Panel.tsx';

export const Receipt = ({ receipt }: { receipt: string }) => (
  <Panel title="Receipt" note="The agent shows it to the service, which checks it on the chain.">
    <Code
      block
      className="break-anywhere"
      tabIndex={0}
      role="region"
      aria-label="Receipt text"
      mah={120}
      style={{ whiteSpace: 'pre-wrap', overflow: 'auto' }}
    >
      {receipt}
    </Code>
    <Group>
      <CopyButton text={receipt} what="receipt" label="Copy receipt" />
    </Group>
  </Panel>
);
