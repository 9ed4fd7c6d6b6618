// The button below a list that has more than is shown.
import { Button, Group } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { Ref } from 'react';

type Pages = Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;

interface ShowMoreProps {
  isBusy: boolean;
  onMore: () => unknown;
  ref?: Ref<HTMLDivElement>;
}

/** Below a list that is read page by page. */
export const MorePages = ({ of }: { of: Pages }) =>
  of.hasNextPage && <ShowMore isBusy={of.isFetchingNextPage} onMore={of.fetchNextPage} />;

export const ShowMore = ({ isBusy, onMore, ref }: ShowMoreProps) => (
  <Group justify="center" ref={ref}>
    <Button variant="default" loading={isBusy} onClick={() => void onMore()}>
      Show more
    </Button>
  </Group>
);
