// Why a transfer was refused or failed: in the owner's words, with remedies and the details.
import { Alert, Anchor, DataList, Text } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { fieldNamed, type FieldEntry } from '../../../server/contract/limits/policy-fields.ts';
import { useAgentName } from '../../shared/agent-names.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Fact } from '../../shared/ui/Fact.tsx';
import { refusalOf } from '../../../server/contract/refusals/refused-transfer.ts';
import { useZone } from '../../shared/hooks/use-zone.ts';
import { momentOf } from '../../shared/time.ts';
import { pathOfGroup } from '../agents/groups/use-groups.ts';
import { Remedies } from './Remedies.tsx';
import type { Transfer } from '../../../server/contract/payments/steps.ts';

const labels: Record<string, string> = {
  node: 'Set for',
  rule: 'Rule',
  limit: 'Limit',
  spent: 'Spent before',
  amount: 'Requested',
  available: 'Available',
  retryAt: 'Try again after',
};

/** In the sentence of the maximum per payment. */
const inSentence = ['rule', 'limit', 'amount'];

/** Rules that are no field of a policy. */
const rules: Record<string, string> = {
  ownerCeiling: 'Daily limit for all agents',
  feeLimit: 'Network fees in 24 hours',
  rentLimit: 'Accounts opened in 24 hours',
};

const ruleOf = (field: FieldEntry | undefined): string | undefined => field?.refusal?.label ?? field?.label;

/** The group whose limit refused, or all agents; nothing for the agent itself. */
const nodeNamed = (node: unknown): ReactNode => {
  if (typeof node !== 'object' || node === null || !('kind' in node && 'id' in node && 'name' in node))
    return null;
  if (node.kind === 'treasury') return 'All agents together';
  return node.kind === 'group' ? (
    <Anchor component={Link} href={pathOfGroup({ groupId: String(node.id) })} inherit c="inherit">
      The group {String(node.name)}
    </Anchor>
  ) : null;
};

/** Details not listed here are in the message anyway. */
const drawn = (name: string, value: unknown, zone: string): ReactNode => {
  if (name === 'node') return nodeNamed(value);
  if (typeof value !== 'string') return null;
  if (name === 'rule') return rules[value] ?? ruleOf(fieldNamed(value)) ?? value;
  if (name === 'retryAt') return momentOf(value, zone);
  return /^\d+\.\d+$/.test(value) ? <Amount whole value={value} /> : null;
};

export const Failure = ({ transfer }: { transfer: Transfer }) => {
  const { agentId, failure } = transfer;
  const agentName = useAgentName(agentId ?? '');
  const zone = useZone();
  const refusal = refusalOf(transfer, () => agentName);
  if (failure === null || refusal === null) return null;
  const { details } = failure;
  const known = Object.entries(labels).flatMap(([name, label]) => {
    const value = drawn(name, details[name], zone);
    return value === null ? [] : [{ name, label, value }];
  });
  const isSaid = details['rule'] === 'maxPerPayment' && known.every(({ name }) => inSentence.includes(name));
  return (
    <Alert
      color="orange"
      icon={<IconBan aria-hidden />}
      title={<Text inherit span c="var(--mantine-color-text)" children="Why nothing was paid" />}
    >
      <Text c="var(--mantine-color-text)" className="break-anywhere">
        {refusal.sentence}
      </Text>
      {known.length > 0 && !isSaid && (
        <DataList size="sm" gap={4} mt="xs" labelWidth={110} c="var(--mantine-color-text)">
          {known.map(({ label, value }) => (
            <Fact key={label} label={label}>
              {value}
            </Fact>
          ))}
        </DataList>
      )}
      {agentId !== null && (
        <Remedies
          refused={{ agentId, transferId: transfer.id }}
          agentName={agentName}
          remedies={refusal.remedies}
        />
      )}
    </Alert>
  );
};
