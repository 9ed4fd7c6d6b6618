// One transfer in full: amount, states and times, both ends, reason, receipt and fees.
import { Anchor, Button, Group, SimpleGrid, Stack, Text, Timeline } from '@mantine/core';
import { IconCheck, IconDownload, IconHourglass, IconX } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useAgentNames } from '../../shared/agent-names.ts';
import { ExactMoment } from '../../shared/ExactMoment.tsx';
import { AgentName } from '../../shared/ui/AgentName.tsx';
import { AgentsWords } from '../../shared/ui/Quote.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Fold } from '../../shared/ui/Fold.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { QueryState, Screen } from '../../shared/ui/Screen.tsx';
import { becameOf, flowOf, kinds, outcomeOf, titleOf } from '../../shared/status.ts';
import { StatusBadge } from '../../shared/ui/StatusBadge.tsx';
import { useOwner } from '../../stores/queries.ts';
import { Facts } from './Facts.tsx';
import { Failure } from './Failure.tsx';
import { type Transfer, stepsOf, type Step } from '../../../server/contract/payments/steps.ts';
import { Undelivered } from './Undelivered.tsx';
import { clockOf, momentOf } from '../../shared/time.ts';
import { useZone } from '../../shared/hooks/use-zone.ts';
import { CopyButton } from '../../shared/ui/CopyButton.tsx';
import { saveFile } from '../../shared/save-file.ts';
import { isDesktop } from '../../stores/connection.ts';

export default function PaymentDetail({ id }: { id: string }) {
  const transfer = useOwner('getTransfer', { params: { transferId: id } });
  const { data } = transfer;
  const nameOf = useAgentNames(data?.agentId == null ? [] : [data.agentId]);
  return (
    <Screen title={data === undefined ? 'Transfer' : titleOf(data, nameOf)} back={['/activity', 'Activity']}>
      <QueryState of={transfer} />
      {data !== undefined && <TransferDetail transfer={data} />}
    </Screen>
  );
}

const TransferDetail = ({ transfer }: { transfer: Transfer }) => (
  <>
    <Panel>
      <Head transfer={transfer} />
      {transfer.note !== null && outcomeOf(transfer) !== 'undelivered' && (
        <Text className="break-anywhere" size="md">
          {transfer.note}
        </Text>
      )}
      {outcomeOf(transfer) === 'undelivered' && <Undelivered transfer={transfer} />}
      <Failure transfer={transfer} />
      {(transfer.kind === 'payment' || transfer.kind === 'charge' || transfer.reason !== null) && (
        <AgentsWords reason={transfer.reason ?? ''} description={descriptionOf(transfer)} />
      )}
    </Panel>
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" style={{ alignItems: 'start' }}>
      <Stack gap="lg">
        <Panel title="What happened">
          <Steps transfer={transfer} />
        </Panel>
        {transfer.receipt !== null && <Receipt receipt={transfer.receipt} id={transfer.id} />}
      </Stack>
      <Panel title="Details">
        <Facts transfer={transfer} />
      </Panel>
    </SimpleGrid>
  </>
);

const Head = ({ transfer }: { transfer: Transfer }) => (
  <Stack gap="xs" align="flex-start">
    <Group gap="xs">
      <StatusBadge of={transfer} />
      <Text c="dimmed">{kinds[transfer.kind]}</Text>
    </Group>
    <Amount
      whole
      value={transfer.amount}
      currency={transfer.currency}
      fz={34}
      fw={650}
      {...(['refused', 'failed'].includes(flowOf(transfer)) && { td: 'line-through', c: 'dimmed' })}
    />
    <Text>
      {transfer.agentId !== null && (
        <>
          <AgentName agentId={transfer.agentId} /> ·{' '}
        </>
      )}
      <ExactMoment iso={transfer.timestamp} />
    </Text>
    {/* The reason that something was refused or failed says below that nothing was paid. */}
    {(transfer.failure === null || outcomeOf(transfer) === 'declined') && (
      <Text c="dimmed">
        {becameOf(transfer).meaning}
        {transfer.status === 'awaiting_approval' && (
          <>
            {' '}
            <Anchor component={Link} href="/approvals" inherit>
              Decide now
            </Anchor>
          </>
        )}
      </Text>
    )}
  </Stack>
);

/** For a request made by the treasury itself, the description is not the agent's own words. */
const descriptionOf = ({ description, purchase }: Transfer): string =>
  purchase?.carrier === 'treasury' ? '' : description;

/** A transfer's story as a timeline. What happened within a second is one part of it. */
const Steps = ({ transfer }: { transfer: Transfer }) => {
  const steps = stepsOf(transfer);
  const zone = useZone();
  // The chain's clock is not ours: its time stands in the note.
  const timeOf = (step: Step, index: number): string | null => {
    const { at } = step.isByChain === true ? (steps[index + 1] ?? step) : step;
    return at && momentOf(at, zone);
  };
  const parts = [...Map.groupBy(steps, timeOf)];
  const passed = parts.filter(([time]) => time !== null).length;
  const timeline = (
    <Timeline active={passed - 1} bulletSize={24} lineWidth={2} role="list">
      {parts.map(([time, within], index) => (
        <Timeline.Item
          key={time}
          role="listitem"
          bullet={<Bullet step={within.find(({ isFailed }) => isFailed) ?? within[0]} />}
          lineVariant={index >= passed - 1 ? 'dashed' : 'solid'}
          {...(within.some(({ isFailed }) => isFailed) ? { color: 'orange' } : {})}
        >
          {within.map(({ title, note, at, isByChain }) => (
            <Text key={title} className="break-anywhere">
              <Text span inherit fw={600}>
                {title}
              </Text>{' '}
              <Text span inherit c="dimmed">
                {isByChain === true && at !== null ? `${clockOf(at, zone)} by the chain’s clock.` : note}
              </Text>
            </Text>
          ))}
          {time !== null && <Text c="dimmed">{time}</Text>}
        </Timeline.Item>
      ))}
    </Timeline>
  );
  const isWell = ['paid', 'done'].includes(outcomeOf(transfer));
  return isWell ? <Fold label={`Final, in ${steps.length} steps`}>{timeline}</Fold> : timeline;
};

const Bullet = ({ step }: { step: Step | undefined }) => {
  if (step?.at == null) return <IconHourglass size={14} aria-hidden />;
  return step.isFailed === true ? <IconX size={14} aria-hidden /> : <IconCheck size={14} aria-hidden />;
};

/** The receipt that the agent hands to the service, to copy or to save. The details beside it say the same. */
const Receipt = ({ receipt, id }: { receipt: string; id: string }) => (
  <Panel title="Receipt" note="The agent shows it to the service, which checks it on the chain.">
    <Group gap="xs">
      <CopyButton text={receipt} what="receipt" label="Copy receipt" />
      {!isDesktop && (
        <Button
          variant="default"
          leftSection={<IconDownload size={18} aria-hidden />}
          onClick={() => saveFile(`receipt-${id}.txt`, new Blob([receipt], { type: 'text/plain' }))}
        >
          Download
        </Button>
      )}
    </Group>
  </Panel>
);
