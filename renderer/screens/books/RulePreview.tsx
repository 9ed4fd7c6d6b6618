// The entries of a month that a rule would catch, and those that earlier rules take of them.
import { Stack, Table, Text } from '@mantine/core';
import type { Reply } from '../../../server/contract/schemas.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { counted } from '../../shared/format.ts';
import { whenOf } from '../../shared/time.ts';
import { useOwner } from '../../stores/queries.ts';
import { nameOfMonth } from './month-words.ts';
import { nameIn, type Known } from './use-known.ts';

type Preview = Reply<'previewBookRule'>;

interface RulePreviewProps {
  month: string;
  /** Undefined until it is known. */
  preview: Preview | undefined;
  error: Error | null;
  known: Known;
}

export const RulePreview = ({ month, preview, error, known }: RulePreviewProps) => (
  <Stack gap="xs" role="status" mih={44}>
    <ErrorNote error={error} />
    {preview === undefined ? (
      error === null && (
        <Text c="dimmed">
          Choose a condition, and see here what the rule catches in {nameOfMonth(month)}.
        </Text>
      )
    ) : (
      <Caught preview={preview} month={month} known={known} />
    )}
  </Stack>
);

const Caught = ({ preview, month, known }: { preview: Preview; month: string; known: Known }) => {
  const { taken, entries, amount, examples } = preview;
  const place = usePlaces();
  return (
    <>
      <Text>
        {entries === 0 ? (
          `It catches nothing in ${nameOfMonth(month)}.`
        ) : (
          <>
            In {nameOfMonth(month)} it catches {counted(entries, 'entry', 'entries')},{' '}
            <Amount value={amount} />.
          </>
        )}
      </Text>
      {taken.map((sum) => (
        <Text key={sum.ruleId}>
          An earlier rule, {place(sum.ruleId)}, already takes {counted(sum.entries, 'entry', 'entries')} (
          <Amount value={sum.amount} />) that this rule would match.
        </Text>
      ))}
      {examples.length > 0 && (
        <Table
          fz="xs"
          verticalSpacing={4}
          horizontalSpacing={4}
          aria-label="The newest entries that it matches"
        >
          <Table.Tbody>
            {examples.map((example) => (
              <Table.Tr key={example.id} {...(example.takenBy !== null && { c: 'dimmed' })}>
                <Table.Td w="24%">{whenOf(example.timestamp)}</Table.Td>
                <Table.Td className="break-anywhere">
                  {example.service}
                  {example.agentId !== null && `, ${nameIn(known, 'agentId', example.agentId)}`}
                  {example.takenBy !== null && ` (${place(example.takenBy)} takes it)`}
                </Table.Td>
                <Table.Td ta="right">
                  <Amount value={example.amount} currency={example.currency === 'SOL' ? 'SOL' : ''} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </>
  );
};

/** Names a rule by its place. */
const usePlaces = (): ((ruleId: string) => string) => {
  const rules = useOwner('bookRules').data?.rules ?? [];
  return (id) => {
    const at = rules.findIndex(({ ruleId }) => ruleId === id);
    return at < 0 ? 'not listed' : `rule ${at + 1}`;
  };
};
