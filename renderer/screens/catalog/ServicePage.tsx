// One service in full: what it is and costs, who uses it, what its payments cost over time, what went wrong, and the
// owner's decisions on it.
import { Anchor, Badge, DataList, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useState } from 'react';
import { Address } from '../../shared/ui/Address.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Fact } from '../../shared/ui/Fact.tsx';
import { Notice } from '../../shared/ui/Notice.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { QueryState, Screen } from '../../shared/ui/Screen.tsx';
import { dayAndTimeOf } from '../../shared/time.ts';
import { useOwner } from '../../stores/queries.ts';
import { AllowForAgent } from './AllowForAgent.tsx';
import { Price } from './Price.tsx';
import { PriceHistory } from './PriceHistory.tsx';
import { ServiceActions } from './ServiceActions.tsx';
import { ServiceMarks } from './ServiceMarks.tsx';
import { paymentsOf, ServiceUsers } from './ServiceUsers.tsx';
import { categoryLabel, experienceOf, sources } from './service-words.ts';
import type { Ruled, Service } from './use-catalog.ts';
import { serviceLimitWords } from '../../../server/contract/limits/service-limits.ts';
import { NodeName } from '../agents/nodes/NodeName.tsx';
import { Link } from 'wouter';
import { isModelService } from '../../../server/contract/models/suppliers.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { useAgentNames } from '../../shared/agent-names.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import { refusalOf } from '../../../server/contract/refusals/refused-transfer.ts';
import { outcomeOf, type Outcome } from '../../shared/status.ts';
import { StatusBadge } from '../../shared/ui/StatusBadge.tsx';

/** As many of its last payments are looked at. */
const lastPayments = '200';

export default function ServicePage({ serviceId }: { serviceId: string }) {
  const ruled = useOwner('getService', { params: { serviceId } });
  const { data } = ruled;
  return (
    <Screen
      title={data?.name ?? 'Service'}
      actions={data !== undefined && <Actions ruled={data} />}
      back={['/catalog', 'Catalog']}
      below={
        <Text c="dimmed" ff="monospace" className="break-anywhere">
          {serviceId}
        </Text>
      }
    >
      <QueryState of={ruled} />
      {data !== undefined && <Whole ruled={data} />}
    </Screen>
  );
}

const Actions = ({ ruled }: { ruled: Ruled }) => {
  const [isAllowing, setAllowing] = useState(false);
  return (
    <>
      <ServiceActions ruled={ruled} onAllow={() => setAllowing(true)} />
      <AllowForAgent service={isAllowing ? ruled.service : null} onClose={() => setAllowing(false)} />
    </>
  );
};

const Whole = ({ ruled }: { ruled: Ruled }) => {
  const { serviceId, name, service, blockedAt } = ruled;
  const query = { serviceId, limit: lastPayments };
  const { data, error, refetch } = useOwner('activity', { query });
  const entries = data?.entries ?? [];
  // Requests by the owner's own account are no payments: they are listed beside the models' prices.
  const isUnpaid = isModelService(serviceId) && error === null && entries.length === 0;
  return (
    <>
      {blockedAt !== null && (
        <Notice
          color="red"
          icon={<IconBan aria-hidden />}
          title={`You blocked it on ${dayAndTimeOf(blockedAt)}`}
        >
          No agent can pay {name}, whatever its policy says.
        </Notice>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" style={{ alignItems: 'start' }}>
        <Panel
          title="About"
          actions={
            isModelService(serviceId) && (
              <Anchor component={Link} href="/catalog/models">
                Models, prices and use
              </Anchor>
            )
          }
        >
          {service === null ? (
            <Text>
              The catalog does not list it. Agents that paid it found it themselves, or it was removed.
            </Text>
          ) : (
            <About service={service} isTrusted={ruled.isTrusted} />
          )}
        </Panel>
        <Stack gap="lg">
          {!isUnpaid && <ServiceUsers serviceId={serviceId} />}
          <LimitsHere ruled={ruled} />
        </Stack>
        {!isUnpaid && (
          <Panel title="Price history" note={`Its last ${lastPayments} payments`}>
            <ErrorNote error={error} onRetry={() => void refetch()} />
            {data !== undefined && <PriceHistory entries={entries} listed={service?.price ?? null} />}
          </Panel>
        )}
        <ServiceFailures
          serviceId={serviceId}
          entries={entries}
          note={`Among its last ${lastPayments} payments and refusals`}
        />
      </SimpleGrid>
    </>
  );
};

const About = ({ service, isTrusted }: { service: Service; isTrusted: boolean }) => {
  const paid = useOwner('totals', { query: paymentsOf(service.id) }).data?.payments;
  const { name, description, category, endpoint, origin, payees, source, addedByOwner } = service;
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Price {...service} />
        {isTrusted && (
          <Badge variant="default" tt="none" fw={600}>
            {addedByOwner ? 'Added by you' : source === 'x402-marketplace' ? 'Trusted' : sources[source]}
          </Badge>
        )}
      </Group>
      <ServiceMarks service={service} />
      <Text className="break-anywhere">{description}</Text>
      <DataList size="sm" gap={4} labelWidth={92}>
        <Fact label="Category">{categoryLabel(category)}</Fact>
        <Fact label="Source">{addedByOwner ? 'Added by you' : sources[source]}</Fact>
        <Fact label="Endpoint">
          <Text span inherit ff="monospace" fz="xs">
            {endpoint.replace(' /', ` ${origin}/`)}
          </Text>
        </Fact>
        {payees.length > 0 && (
          <Fact label={payees.length === 1 ? 'Payee' : 'Payees'}>
            {payees.map((payee) => (
              <Address key={payee} value={payee} what={`payee of ${name}`} />
            ))}
          </Fact>
        )}
        {(paid !== 0 || !isModelService(service.id)) && (
          <Fact label="So far">{experienceOf(service, { paid }).join(' · ')}</Fact>
        )}
      </DataList>
    </Stack>
  );
};

/** The limits of its own that agents, groups and the treasury have at a service. */
const LimitsHere = ({ ruled: { serviceId, limits, service } }: { ruled: Ruled }) => {
  if (limits.length === 0) return null;
  return (
    <Panel title="Limits at this service">
      {service === null && !isOrigin(serviceId) && <Text>{noLongerHold}</Text>}
      <Stack gap="xs" role="list">
        {limits.map(({ node, limit }) => (
          <div key={`${node.kind} ${node.id}`} role="listitem">
            <Text component="div" className="break-anywhere">
              <NodeName node={node} />
            </Text>
            <Text c="dimmed">At most {serviceLimitWords(limit)}</Text>
          </div>
        ))}
      </Stack>
    </Panel>
  );
};

/** A service outside the catalog is named by its origin. */
const isOrigin = (serviceId: string): boolean => serviceId.includes('://');

const noLongerHold =
  'These limits no longer apply: the catalog does not list it, and payments to its address count under that address.';

type Entry = Reply<'activity'>['entries'][number];

const mostShown = 8;
const bad: readonly Outcome[] = ['undelivered', 'refused', 'declined', 'failed', 'unknown'];

interface ServiceFailuresProps {
  serviceId: string;
  entries: readonly Entry[];
  note: string;
}

/** The recent failures of a service: not delivered, refused, failed. */
const ServiceFailures = ({ serviceId, entries, note }: ServiceFailuresProps) => {
  const failed = entries.filter((entry) => bad.includes(outcomeOf(entry)));
  const nameOf = useAgentNames(failed.flatMap(({ agentId }) => (agentId === null ? [] : [agentId])));
  if (failed.length === 0) return null;
  return (
    <Panel title="What went wrong" note={note}>
      <Stack gap="sm" component="ul" m={0} p={0}>
        {failed.slice(0, mostShown).map((entry) => (
          <Stack key={entry.id} component="li" gap={2} style={{ listStyle: 'none' }}>
            <Group justify="space-between" gap="xs">
              <Anchor
                component={Link}
                href={`/activity/${encodeURIComponent(entry.id)}`}
                c="inherit"
                className="break-anywhere"
              >
                <Amount value={entry.amount} currency={entry.currency} /> by{' '}
                {entry.agentId === null ? 'the treasury' : nameOf(entry.agentId)}
              </Anchor>
              <StatusBadge of={entry} />
            </Group>
            <Text size="xs" c="dimmed" className="break-anywhere">
              <Moment iso={entry.timestamp} /> · {refusalOf(entry, nameOf)?.sentence ?? entry.note}
            </Text>
          </Stack>
        ))}
        {failed.length > mostShown && (
          <Anchor component={Link} href={`/activity?service=${encodeURIComponent(serviceId)}`}>
            See all in Activity
          </Anchor>
        )}
      </Stack>
    </Panel>
  );
};
