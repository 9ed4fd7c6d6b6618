// The error boundary of a screen or a part of one: it says so, and the rest of the page stays. Reloading helps when the
// treasury was updated under an open page, or went away before a chunk was loaded.
import { Button } from '@mantine/core';
import { IconMoodSick } from '@tabler/icons-react';
import { Component, type ReactNode } from 'react';
import { EmptyState } from './EmptyState.tsx';

interface TroubleState {
  error: Error | null;
}

interface TroubleProps {
  /** The name of its content, such as "The chart". */
  what?: string;
  children: ReactNode;
}

/** Needs a `key` that changes with its content. */
export class Trouble extends Component<TroubleProps, TroubleState> {
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
        title={`${this.props.what ?? 'This screen'} could not be shown`}
        action={<Button onClick={() => location.reload()}>Load the page again</Button>}
      >
        Nothing was changed by that. {error.message}
      </EmptyState>
    );
  }
}
