// The frame of a screen: its title, its actions, and its content, or the state of the query that brings it.
import { Anchor, Group, Loader, Stack, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import { IconArrowLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useTreasury, waitingIn } from '../../stores/treasury.ts';
import { ErrorNote } from './ErrorNote.tsx';

interface ScreenProps {
  title: ReactNode;
  /** The window's title; by default `title`, where that is text. */
  name?: string;
  actions?: ReactNode;
  /** The list that it belongs to: its path and name. */
  back?: readonly [path: string, name: string];
  /** A line below the title. */
  below?: ReactNode;
  /** One step at a time, in a column. */
  isNarrow?: boolean;
  children: ReactNode;
}

export const Screen = ({ title, name, actions, back, below, isNarrow = false, children }: ScreenProps) => {
  const waiting = useTreasury(({ snapshot }) => (snapshot === null ? 0 : waitingIn(snapshot)));
  const count = waiting === 0 ? '' : `(${waiting}) `;
  useDocumentTitle(`${count}${name ?? (typeof title === 'string' ? title : '')} · Agent Treasury`);
  return (
    <Stack gap="lg" maw={isNarrow ? 640 : 1200} mx="auto" w="100%">
      <Stack gap={4}>
        {back !== undefined && (
          <Anchor component={Link} href={back[0]} w="fit-content" className="not-printed">
            <Group gap={4} wrap="nowrap" component="span">
              <IconArrowLeft size={14} aria-hidden /> {back[1]}
            </Group>
          </Anchor>
        )}
        <Group justify="space-between" gap="sm">
          <Title order={1} size="h2" miw={120} className="break-anywhere">
            {title}
          </Title>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
        {below !== undefined && (
          <Group gap="sm" mt={{ base: 8, sm: 0 }}>
            {below}
          </Group>
        )}
      </Stack>
      {children}
    </Stack>
  );
};

export const Loading = () => (
  <Group justify="center" py="xl" role="status" aria-label="Loading">
    <Loader />
  </Group>
);

interface QueryStateProps {
  of: Pick<UseQueryResult, 'isPending' | 'error'> & { refetch: () => Promise<unknown> };
}

/** Says that a query is under way for the first time, or that it failed. */
export const QueryState = ({ of: { isPending, error, refetch } }: QueryStateProps) => (
  <>
    <ErrorNote error={error} onRetry={() => void refetch()} />
    {isPending && <Loading />}
  </>
);
