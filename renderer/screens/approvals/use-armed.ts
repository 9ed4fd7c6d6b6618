// A click meant for something else must not approve: approving buttons work only a moment after they came into view.
import { useDocumentVisibility, useWindowEvent } from '@mantine/hooks';
import { useEffect, useState } from 'react';

const armingMs = 700;

/** False for 700 ms after `shown` changed, or after the window came to the front. */
export const useArmed = (shown: string): boolean => {
  const visibility = useDocumentVisibility();
  const [fronted, setFronted] = useState(0);
  useWindowEvent('focus', () => setFronted((times) => times + 1));
  const token = `${shown} ${visibility} ${fronted}`;
  const [armedFor, setArmedFor] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setArmedFor(token), armingMs);
    return () => clearTimeout(timer);
  }, [token]);
  return armedFor === token && visibility === 'visible';
};
