// A paid API's own description, and the catalog entry that would be made of it.
import { Card, DataList, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconReplace } from '@tabler/icons-react';
import type { Reply } from '../../../server/contract/schemas.ts';
import { Address } from '../../shared/ui/Address.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Fact } from '../../shared/ui/Fact.tsx';
import { Notice } from '../../shared/ui/Notice.tsx';

export const ServicePreview = ({ preview }: { preview: Reply<'previewService'> }) => {
  const { serviceId, name, price, payees, origin, endpoint, replaces, warnings } = preview;
  return (
    <Stack gap="sm" role="status" aria-label="What the service says about itself">
      {warnings.length > 0 && (
        <Notice color="red" icon={<IconAlertTriangle aria-hidden />} title="Check this carefully">
          <List size="sm">
            {warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Notice>
      )}
      {replaces && (
        <Notice color="yellow" icon={<IconReplace aria-hidden />} title="This replaces an entry">
          You added {serviceId} before. It will be replaced by what is shown here.
        </Notice>
      )}
      <Card withBorder padding="sm">
        <DataList size="sm" gap={6} labelWidth={92}>
          <Fact label="Name">{name}</Fact>
          <Fact label="Price">
            <Amount whole value={price} /> a call
          </Fact>
          <Fact label="Payee">
            {payees.map((payee) => (
              <Address key={payee} value={payee} what="payee’s address" whole />
            ))}
            <Text size="xs" c="dimmed">
              It is pinned: no other address is ever paid for this service.
            </Text>
          </Fact>
          <Fact label="Endpoint">
            <Text span inherit ff="monospace" fz="xs">
              {endpoint}
            </Text>{' '}
            at {origin}
          </Fact>
          <Fact label="ID">
            <Text span inherit ff="monospace" fz="xs">
              {serviceId}
            </Text>
          </Fact>
        </DataList>
      </Card>
    </Stack>
  );
};
