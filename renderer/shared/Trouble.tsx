// When a screen or a part of one cannot be drawn: it says so, the rest of the page stays, and loading it again helps where
// the treasury was updated under an open page, or had gone away before the code of that part had come.
import { Button } from '@mantine/core';
import { IconMoodSick } from '@tabler/icons-react';
import { Component, type ReactNode } from 'react';
import { EmptyState } from './EmptyState.tsx';

interface TroubleState {
  error: Error | null;
}

interface TroubleProps {
  /** What it is around, e.g. "The chart". */
  what?: string;
  children: ReactNode;
}

/** Give it a `key` that changes with what it shows. */
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
