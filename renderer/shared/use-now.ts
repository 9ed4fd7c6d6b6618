// The clock, for countdowns that only the eye needs.
import { useEffect, useState } from 'react';

/** The time now, anew each `everyMs`. */
export const useNow = (everyMs = 1_000): number => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
};
