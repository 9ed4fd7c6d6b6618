// How the policy treats the payments of the last 30 days, and how a changed one would; shown before it is saved.
import { List, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { fieldNamed } from '../../../../server/contract/limits/policy-fields.ts';
import type { Reply } from '../../../../server/contract/schemas.ts';
import type { ChangeOf } from '../../../../server/contract/limits/service-limits.ts';
import { ask } from '../../../api/owner.ts';
import { Amount } from '../../../shared/ui/Amount.tsx';
import { counted } from '../../../shared/format.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import type { Policy } from './policy-sentence.ts';

interface PolicyPreviewProps {
  agentId: string;
  changes: ChangeOf<Policy, string>;
}

type Preview = Reply<'previewPolicy'>;

export const PolicyPreview = ({ agentId, changes }: PolicyPreviewProps) => {
  const [body] = useDebouncedValue(changes, 400);
  const params = { agentId };
  const isChange = Object.keys(body).length > 0;
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['previewPolicy', params, body],
    // Both at once: of two times, one would count payments that the other does not.
    queryFn: () =>
      Promise.all([
        ask('previewPolicy', { params, body }),
        isChange ? ask('previewPolicy', { params, body: {} }) : null,
      ]),
    placeholderData: keepPreviousData,
  });
  if (error !== null) return <ErrorNote error={error} notDone="Its effect on past payments is not known." />;
  if (data === undefined) return <Skeleton h={48} />;
  const [then, today] = data;
  return (
    <Stack gap={4} aria-live="polite" aria-busy={isPlaceholderData}>
      <Outcome preview={then} />
      {/* Where today's policy allows all, the list says the same. */}
      {today !== null && today.allowed.payments < today.payments && (
        <Text>
          Refusals {moved(refusalsIn(today), refusalsIn(then))}. Approvals{' '}
          {moved(today.asked.payments, then.asked.payments)}.
        </Text>
      )}
    </Stack>
  );
};

const refusalsIn = ({ refused }: Preview): number => refused.reduce((sum, one) => sum + one.payments, 0);

const moved = (from: number, to: number): string =>
  from === to ? `stay at ${from}` : `go from ${from} to ${to}`;

const Outcome = ({ preview }: { preview: Preview }) => {
  const { days, payments, allowed, asked, refused, truncated } = preview;
  if (payments === 0)
    return <Text>It asked for no payment in the last {days} days, so there is nothing to compare with.</Text>;
  const amount = <Amount value={allowed.amount} />;
  const isAll = refused.length === 0 && asked.payments === 0;
  return (
    <>
      <Text>
        It asked for {counted(payments, 'payment')} in the last {days} days
        {truncated && ' (the newest are counted)'}. This policy would
        {isAll && (
          <>
            {' '}
            allow all {allowed.payments.toLocaleString('en')} ({amount}).
          </>
        )}
      </Text>
      {!isAll && (
        <List size="sm" spacing={2}>
          <List.Item>
            allow {allowed.payments.toLocaleString('en')} ({amount})
          </List.Item>
          {asked.payments > 0 && (
            <List.Item>
              ask you about {asked.payments.toLocaleString('en')} (<Amount value={asked.amount} />)
            </List.Item>
          )}
          {refused.map((total) => (
            <List.Item key={total.rule}>
              refuse <b>{total.payments.toLocaleString('en')}</b> (<Amount value={total.amount} />
              ): {fieldNamed(total.rule)?.refusal?.payment ?? total.rule}
            </List.Item>
          ))}
        </List>
      )}
    </>
  );
};
