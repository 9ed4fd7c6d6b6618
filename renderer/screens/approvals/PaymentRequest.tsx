// A payment that waits: how much, to whom, why, and what it does to the budget.
import { Badge, DataList, Group, Stack, Text } from '@mantine/core';
import { Address } from '../../shared/Address.tsx';
import { Amount } from '../../shared/Amount.tsx';
import { Quote } from '../../shared/Quote.tsx';
import { BudgetBar } from './BudgetBar.tsx';
import type { Approval, Request } from './request.ts';

interface PaymentRequestProps {
  request: Extract<Request, { kind: 'payment' }>;
  budget: Approval['budget'];
}

export const PaymentRequest = ({ request, budget }: PaymentRequestProps) => (
  <Stack gap="md">
    <Group gap="xs" align="baseline">
      <Amount value={request.amount} currency={request.currency} fz={28} fw={650} />
      <Text>
        to{' '}
        <Text span fw={600} className="break-anywhere">
          {request.serviceName}
        </Text>
      </Text>
    </Group>
    <DataList size="sm" gap="xs" labelWidth={110}>
      <DataList.Item>
        <DataList.ItemLabel>Why you</DataList.ItemLabel>
        <DataList.ItemValue>{request.because}</DataList.ItemValue>
      </DataList.Item>
      <DataList.Item>
        <DataList.ItemLabel>Payee</DataList.ItemLabel>
        <DataList.ItemValue>
          <Group gap="xs">
            <Address value={request.payee} what="payee’s address" />
            <Badge
              variant={request.payeeIsNew ? 'filled' : 'default'}
              color={request.payeeIsNew ? 'yellow.4' : 'gray'}
              autoContrast
              tt="none"
            >
              {request.payeeIsNew ? 'New payee' : 'Paid before'}
            </Badge>
          </Group>
        </DataList.ItemValue>
      </DataList.Item>
      {request.invoice !== '' && (
        <DataList.Item>
          <DataList.ItemLabel>Invoice</DataList.ItemLabel>
          <DataList.ItemValue className="break-anywhere">{request.invoice}</DataList.ItemValue>
        </DataList.Item>
      )}
    </DataList>
    <Quote text={request.description} from="The agent says" silence="The agent gave no reason." />
    {budget !== null && <BudgetBar budget={budget} />}
  </Stack>
);
