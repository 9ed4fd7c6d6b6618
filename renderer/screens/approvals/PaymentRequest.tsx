// A payment that waits for approval: amount, payee, reason, and its effect on the budget.
import { Badge, DataList, Group, Stack, Text, Progress } from '@mantine/core';
import type { decidingFacts } from '../../../server/contract/approvals/deciding.ts';
import { Address } from '../../shared/ui/Address.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Fact } from '../../shared/ui/Fact.tsx';
import { useTreasury } from '../../stores/treasury.ts';
import type { Approval, Recipient, Request } from './request.ts';
import { shareOf } from '../../shared/share.ts';

interface PaymentRequestProps {
  request: Extract<Request, { kind: 'payment' }>;
  facts: ReturnType<typeof decidingFacts>;
  budget: Approval['budget'];
}

export const PaymentRequest = ({ request, facts, budget }: PaymentRequestProps) => (
  <Stack gap="md">
    <Group gap="xs" align="baseline">
      <Amount whole value={request.amount} currency={request.currency} fz={28} fw={650} />
      <Text size="md">
        to{' '}
        <Text span fw={600} className="break-anywhere" size="md">
          {request.serviceName}
        </Text>
      </Text>
    </Group>
    <DataList size="sm" gap="xs" labelWidth={110}>
      <Fact label="Why it needs approval">{request.because}</Fact>
      {facts.map(({ label, text }) => (
        <Fact key={label} label={label}>
          {text}
        </Fact>
      ))}
      <Fact label={request.recipients.length === 1 ? 'Payee' : 'Payees'}>
        <Stack gap={6}>
          {request.recipients.map((recipient) => (
            <Payee key={recipient.payee} {...recipient} currency={request.currency} />
          ))}
        </Stack>
      </Fact>
      {request.account !== null && (
        <Fact label="USDC account">
          Opening one for this payee costs {request.account.price}, once.
          {request.account.openedBefore &&
            ' You paid for one before, and it was closed: its owner kept that SOL.'}
        </Fact>
      )}
      {request.request !== '' && <Fact label="For">{request.request}</Fact>}
      {request.invoice !== '' && <Fact label="Invoice">{request.invoice}</Fact>}
    </DataList>
    {budget !== null && <BudgetBar budget={budget} />}
  </Stack>
);

const Payee = ({ payee, payeeIsNew, amount, currency }: Recipient & { currency: string }) => {
  const own = useTreasury(({ snapshot }) => snapshot?.treasury.walletAddress);
  return (
    <Group gap="xs">
      <Address value={payee} what="payee’s address" />
      {amount !== '' && <Amount whole value={amount} currency={currency} />}
      {payee === own ? (
        // For a picture, the agent pays the treasury, which pays the provider.
        <Text span inherit c="dimmed">
          your treasury
        </Text>
      ) : (
        <Badge
          variant={payeeIsNew ? 'filled' : 'default'}
          color={payeeIsNew ? 'yellow.4' : 'gray'}
          autoContrast
          tt="none"
          title={payeeIsNew ? 'First payment by this agent' : undefined}
        >
          {payeeIsNew ? 'New to this agent' : 'Paid before'}
        </Badge>
      )}
    </Group>
  );
};

/** A payment's effect on the agent's budget of 24 hours. */
const BudgetBar = ({
  budget: { spent, after, dailyBudget },
}: {
  budget: NonNullable<Approval['budget']>;
}) => {
  const before = shareOf(spent, dailyBudget);
  const then = shareOf(after, dailyBudget);
  return (
    <Stack gap={6}>
      <Progress.Root size="lg" aria-hidden>
        <Progress.Section value={before} color="gray.6" withAria={false} />
        <Progress.Section value={Math.max(0, then - before)} color="teal" withAria={false} />
      </Progress.Root>
      <Text>
        Spent in 24 hours: <Amount value={spent} /> now, <Amount value={after} fw={600} /> with this payment,
        of <Amount value={dailyBudget} />.
      </Text>
    </Stack>
  );
};
