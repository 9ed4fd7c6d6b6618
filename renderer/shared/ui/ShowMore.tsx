// The button below a list that has more than is shown.
import { Button, Group } from '@mantine/core';
import type { Ref } from 'react';

interface ShowMoreProps {
  isBusy: boolean;
  onMore: () => unknown;
  ref?: Ref<HTMLDivElement>;
}

export const ShowMore = ({ isBusy, onMore, ref }: ShowMoreProps) => (
  <Group justify="center" ref={ref}>
    <Button variant="default" loading={isBusy} onClick={() => void onMore()}>
      Show more
    </Button>
  </Group>
);
