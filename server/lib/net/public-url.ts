// The address at which the owner's own tunnel leads to this treasury, and the doors by which a request may come.
import { isLoopback } from './loopback.ts';

/** The owner's tunnel ends at `public`. Only what a request names as its host tells the two apart. */
export const doorNames = ['local', 'public'] as const;
export type DoorName = (typeof doorNames)[number];

export interface Door {
  name: DoorName;
  /** Its origin, at which this treasury answers. */
  url: string;
}

export const publicUrlRule =
  'must be https:// and a host that other machines know, such as https://treasury.example.ts.net, and nothing behind it';

/** Of https, and nothing behind the host; null for any other text. */
export const httpsUrlOf = (text: string): URL | null => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:') return null;
  return `${url.username}${url.password}${url.pathname}${url.search}${url.hash}` === '/' ? url : null;
};

/** The origin of a public URL, normalized; null for one that `publicUrlRule` refuses. */
export const publicUrlOf = (text: string): string | null => {
  const url = httpsUrlOf(text);
  if (url === null || /[?#\\\s]/.test(text)) return null;
  return isOfThisMachine(url.hostname) || url.hostname.endsWith('.') ? null : url.origin;
};

const isOfThisMachine = (host: string): boolean =>
  isLoopback(host) ||
  host.endsWith('.localhost') ||
  host === '0.0.0.0' ||
  /^\[::(?:ffff:[\d:a-f]*)?\]$/.test(host);

/** The origins at which this treasury answers, the local one first. */
export type OwnOrigins = () => readonly string[];

/** A name with a dot behind it leads to the same host. */
export const isOwnOrigin = (own: OwnOrigins, { origin }: URL): boolean =>
  own().includes(origin.replace(/\.(?=$|:\d+$)/, ''));
