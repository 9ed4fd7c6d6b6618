// The receipt that the agent hands to the service: what it says, and the receipt itself to copy or to save.
import { Button, Code, DataList, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import { Address } from '../../shared/ui/Address.tsx';
import { CopyButton } from '../../shared/ui/CopyButton.tsx';
import { Fact } from '../../shared/ui/Fact.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { saveFile } from '../../shared/save-file.ts';
import { useZone } from '../../shared/hooks/use-zone.ts';
import { momentOf } from '../../shared/time.ts';
import { isDesktop } from '../../stores/connection.ts';
import { fieldsOf, type ReceiptField } from './receipt-fields.ts';

export const Receipt = ({ receipt, id }: { receipt: string; id: string }) => {
  const fields = fieldsOf(receipt);
  const [isOpen, { toggle }] = useDisclosure();
  return (
    <Panel title="Receipt" note="The agent shows it to the service, which checks it on the chain.">
      {isOpen && fields.length > 0 && (
        <DataList size="sm" gap={6} labelWidth={110}>
          {fields.map((field) => (
            <Fact key={field.name} label={field.label}>
              <Value field={field} />
            </Fact>
          ))}
        </DataList>
      )}
      {isOpen && (
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
        <Button variant="subtle" color="gray" onClick={toggle} aria-expanded={isOpen}>
          {isOpen ? 'Hide receipt text' : 'Show receipt text'}
        </Button>
      </Group>
    </Panel>
  );
};

const isAddress = new Set(['recipient', 'payer', 'txSignature']);

const Value = ({ field: { name, label, value } }: { field: ReceiptField }) => {
  const zone = useZone();
  if (isAddress.has(name)) return <Address value={value} what={`“${label}” of the receipt`} />;
  if (name === 'timestamp') return momentOf(value, zone);
  return name === 'amount' ? `${value} USDC` : value;
};
