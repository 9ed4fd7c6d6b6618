// The anchors of the books: the owner's switch, what it costs, and until when days are anchored.
import { Code, Stack, Switch, Text } from '@mantine/core';
import { anchorWords } from '../../../server/contract/books/book-words.ts';
import { ask } from '../../api/owner.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { momentOf } from '../../shared/time.ts';
import { useWork } from '../../shared/hooks/use-work.ts';
import { outdate, useOwner } from '../../stores/queries.ts';

export const Anchors = () => {
  const { data, error, refetch } = useOwner('getAnchors', {});
  const turn = useWork(async (on: boolean) => {
    await ask('setAnchors', { body: { on } });
    outdate(['getAnchors']);
  });
  return (
    <Stack gap={4} component="section" aria-label="Anchors">
      {data !== undefined && (
        <Switch
          label="Anchor the books once a day"
          description={anchorWords(data.cost)}
          checked={data.on}
          disabled={turn.isBusy}
          onChange={({ currentTarget: { checked } }) => void turn.run(checked)}
        />
      )}
      {data?.until != null && (
        <Text c="dimmed">
          Everything before {momentOf(data.until)} is anchored. An accountant verifies the file of{' '}
          <Code>treasury books statement</Code> with <Code>treasury verify</Code>, without this treasury.
        </Text>
      )}
      {data?.on === true && data.waiting.length > 0 && (
        <Text c="dimmed">The next anchor waits for: {data.waiting.join(' ')}</Text>
      )}
      <ErrorNote error={error} onRetry={() => void refetch()} />
      <ErrorNote error={turn.error} notDone="The anchors were not changed." />
    </Stack>
  );
};
