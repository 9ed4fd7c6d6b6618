// The receipt that the agent hands to the service, to copy, to save or to read. The details above it say the same.
import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import { CodeBlock } from '../../shared/ui/CodeBlock.tsx';
import { CopyButton } from '../../shared/ui/CopyButton.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { saveFile } from '../../shared/save-file.ts';
import { isDesktop } from '../../stores/connection.ts';
import { textOf } from './receipt-text.ts';

export const Receipt = ({ receipt, id }: { receipt: string; id: string }) => {
  const [isOpen, { toggle }] = useDisclosure();
  return (
    <Panel title="Receipt" note="The agent shows it to the service, which checks it on the chain.">
      {isOpen && (
        <CodeBlock label="Receipt text" className="break-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
          {textOf(receipt)}
        </CodeBlock>
      )}
      <Group gap="xs">
        <CopyButton text={receipt} what="receipt" label="Copy receipt" />
        {!isDesktop && (
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => saveFile(`receipt-${id}.txt`, new Blob([receipt], { type: 'text/plain' }))}
          >
            Download
          </Button>
        )}
        <Button variant="default" onClick={toggle} aria-expanded={isOpen}>
          {isOpen ? 'Hide text' : 'Show text'}
        </Button>
      </Group>
    </Panel>
  );
};
