// Where a service is, as far as URLs lead to it: an origin, and a path that stands for all that is below it.
import type { Service } from '../engine/ports.ts';

export interface Place {
  origin: string;
  /** Without a slash at its end; empty for the whole origin. */
  path: string;
}

/** Null where no URL leads: at a model, and at an entry whose endpoint is no `METHOD /path`. */
export const placeOf = ({ origin, endpoint }: Pick<Service, 'origin' | 'endpoint'>): Place | null => {
  const path = /^[A-Z]+ (\/[^?#\s]*)/.exec(endpoint)?.[1];
  if (path === undefined || !URL.canParse(origin) || new URL(origin).origin !== origin) return null;
  return { origin, path: plain(path.replace(templates, '')).replace(/\/+$/, '') };
};

/** Below so many segments only the whole path counts. */
const deepest = 100;

/** The path and all that it is below, in whole segments: the longest first. */
export const placesOf = (pathname: string): string[] => {
  const whole = plain(pathname);
  const segments = whole.split('/').slice(1);
  const count = Math.min(segments.length, deepest);
  const above = Array.from({ length: count + 1 }, (_, left) =>
    ['', ...segments.slice(0, count - left)].join('/'),
  );
  return count < segments.length ? [whole, ...above] : above;
};

/** From the first segment on that stands for any: `/{id}`, `/:id`. */
const templates = /\/(?:[^/]*(?:\{|%7B)|:).*$/i;

/** `%61` is `a` (RFC 3986, 6.2.2): written otherwise it would be another place. */
const plain = (path: string): string =>
  path.replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });
