// When a screen cannot be drawn: it says so, the rest of the page stays, and loading it again helps where the treasury
// was updated under an open page.
import { Button } from '@mantine/core';
import { IconMoodSick } from '@tabler/icons-react';
import { Component, type ReactNode } from 'react';
import { EmptyState } from './EmptyState.tsx';

interface TroubleState {
  error: Error | null;
}

/** Give it a `key` that changes with what it shows. */
export class Trouble extends Component<{ children: ReactNode }, TroubleState> {
  override state: TroubleState = { error: null };

  static getDerivedStateFromError(error: unknown): TroubleState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <EmptyState
        icon={<IconMoodSick size={40} />}
        title="This screen could not be shown"
        action={<Button onClick={() => location.reload()}>Load the page again</Button>}
      >
        Nothing was changed by that. {error.message}
      </EmptyState>
    );
  }
}
