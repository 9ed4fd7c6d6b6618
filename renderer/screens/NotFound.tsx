// The screen for an unknown URL.
import { Anchor } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link } from 'wouter';
import { EmptyState } from '../shared/ui/EmptyState.tsx';

export default function NotFound() {
  return (
    <EmptyState
      icon={<IconMapOff size={40} />}
      title="Page not found"
      action={
        <Anchor component={Link} href="/" size="md">
          Go to the overview
        </Anchor>
      }
    />
  );
}
