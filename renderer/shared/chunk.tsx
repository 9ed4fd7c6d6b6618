// A part of the page whose code is fetched apart from the rest: at first use, or while the page is idle. Once it is there it
// needs the network no more. Where it cannot be fetched, it says so in plain words and can be tried again.
import { Button } from '@mantine/core';
import { IconPlugOff } from '@tabler/icons-react';
import { useEffect, useState, type ComponentType, type ReactNode } from 'react';
import { useConnection } from '../stores/connection.ts';
import { EmptyState } from './ui/EmptyState.tsx';
import { Loading } from './ui/Screen.tsx';

interface ChunkOptions {
  /** Its name, such as "The code to scan". */
  what?: string;
  /** Shown until it is there. */
  waiting?: ReactNode;
  /** Its code does something as soon as it is there. */
  isActive?: boolean;
}

type Load<P> = () => Promise<{ default: ComponentType<P> }>;

const loaders: (() => Promise<unknown>)[] = [];

export const chunk = <P extends object>(
  load: Load<P>,
  { what = 'This screen', waiting = <Loading />, isActive = false }: ChunkOptions = {},
): ComponentType<P> => {
  let Loaded: ComponentType<P> | null = null;
  const fetchOnce = async (): Promise<void> => {
    Loaded ??= (await load()).default;
  };
  if (!isActive) loaders.push(fetchOnce);

  const Chunk = (props: P) => {
    const [tries, setTries] = useState(0);
    const [state, setState] = useState<'waiting' | 'there' | 'failed'>(Loaded === null ? 'waiting' : 'there');
    useEffect(() => {
      if (Loaded !== null) return setState('there');
      let isShown = true;
      fetchOnce().then(
        () => isShown && setState('there'),
        () => {
          if (!isShown) return;
          if (tries > 0 && isConnected()) location.reload();
          else setState('failed');
        },
      );
      return () => {
        isShown = false;
      };
    }, [tries]);
    if (state === 'there' && Loaded !== null) return <Loaded {...props} />;
    if (state === 'waiting') return waiting;
    return (
      <NotLoaded
        what={what}
        onRetry={() => {
          setState('waiting');
          setTries(tries + 1);
        }}
      />
    );
  };
  return Chunk;
};

/** Some browsers keep a script's failure for as long as the page lives: with the treasury back, only a new page asks again. */
const isConnected = (): boolean => useConnection.getState().phase === 'connected';

const NotLoaded = ({ what, onRetry }: { what: string; onRetry: () => void }) => (
  <EmptyState
    icon={<IconPlugOff size={40} />}
    title={`${what} could not be loaded`}
    action={
      <>
        <Button onClick={onRetry}>Try again</Button>
        <Button variant="default" onClick={() => location.reload()}>
          Load the page again
        </Button>
      </>
    }
  >
    The treasury did not send it. It may have been stopped, or updated while this page was open. Nothing was
    changed.
  </EmptyState>
);

/**
 * Fetches what is missing and does nothing by itself, one after the other. It ends with the first that fails, since some
 * browsers never ask for that one again; the rest are fetched when they are used.
 */
export const fetchChunks = async (): Promise<void> => {
  try {
    for (const load of loaders) await load();
  } catch {
    // The screen that needs it says so.
  }
};
