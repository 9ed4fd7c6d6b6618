// A person at a browser, as opposed to a program: such a one is shown a page in place of JSON.
import type { IncomingMessage } from 'node:http';

/** True for an address that was typed or followed. Older browsers do not send `Sec-Fetch-Mode`. */
export const isTyped = ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean => {
  if (method !== 'GET' || headers.authorization !== undefined) return false;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? headers.accept?.includes('text/html') === true : mode === 'navigate';
};
