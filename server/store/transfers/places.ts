// Where URLs lead to a service: an origin, and a path that stands for all that is below it.
import type { Service } from '../../engine/ports.ts';

export interface Place {
  origin: string;
  /** Without a trailing slash; empty for the whole origin. */
  path: string;
}

/** Null when no URL leads there: for an image model, or an endpoint that is not `METHOD /path`. */
export const placeOf = ({ origin, endpoint }: Pick<Service, 'origin' | 'endpoint'>): Place | null => {
  const path = /^[A-Z]+ (\/[^?#\s]*)/.exec(endpoint)?.[1];
  if (path === undefined || !URL.canParse(origin) || new URL(origin).origin !== origin) return null;
  return { origin, path: plain(path.replace(templates, '')).replace(/\/+$/, '') };
};

/** Whether the other place, such as a URL's, is this one or below it. */
export const contains = ({ origin, path }: Place, other: Place): boolean =>
  origin === other.origin && placesOf(other.path).includes(path);

/** Deeper segments count only as part of the whole path. */
const deepest = 100;

/** The path and all paths above it, in whole segments, longest first. */
export const placesOf = (pathname: string): string[] => {
  const whole = plain(pathname);
  const segments = whole.split('/').slice(1);
  const count = Math.min(segments.length, deepest);
  const above = Array.from({ length: count + 1 }, (_, left) =>
    ['', ...segments.slice(0, count - left)].join('/'),
  );
  return count < segments.length ? [whole, ...above] : above;
};

/** Everything from the first placeholder segment on: `/{id}`, `/:id`. */
const templates = /\/(?:[^/]*(?:\{|%7B)|:).*$/i;

/** `%61` is `a` (RFC 3986, 6.2.2): left encoded it would be another place. */
const plain = (path: string): string =>
  path.replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });
