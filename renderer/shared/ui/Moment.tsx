// A point in time that has passed: how long ago, and in full on hover; or the other way round.
import { Text, type TextProps } from '@mantine/core';
import { agoOf, momentOf } from '../time.ts';
import { useSyncExternalStore } from 'react';

interface MomentProps extends TextProps {
  iso: string;
  /** The time in these words, in this zone. */
  exact?: { words: string; zone: string };
}

export const Moment = ({ iso, exact, ...text }: MomentProps) => {
  const now = useMinute();
  return (
    <Text span inherit {...text}>
      <time dateTime={iso} title={exact === undefined ? momentOf(iso) : agoOf(iso, now, exact.zone)}>
        {exact?.words ?? agoOf(iso, now)}
      </time>
    </Text>
  );
};

/** One clock for all relative times of the page, which moves every half minute. */
const everyMs = 30_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

const listen = (listener: () => void): (() => void) => {
  if (listeners.size === 0) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const each of listeners) each();
    }, everyMs);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
};

/** The time in milliseconds, at most half a minute old. */
const useMinute = (): number => useSyncExternalStore(listen, () => now);
