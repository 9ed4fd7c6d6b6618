// Which route a request is for. The gate and the server behind it have to agree on that, or a free route opens a paid one: a
// target that servers read in different ways is refused.

export interface Pattern {
  method: string;
  path: string;
}

/** The path's segments, each decoded once, or why the target is refused. */
export const readTarget = (url: string): readonly string[] | { refused: string } => {
  if (!/^\/[\x21-\x7e]*$/.test(url) || /[\\#]/.test(url))
    return refused('has to be a path in printable ASCII');
  const [path = '', ...query] = url.split('?');
  if (path.includes('//')) return refused('has an empty segment');
  if (new URLSearchParams(query.join('?')).keys().some((name) => name.toLowerCase() === '_method'))
    return refused('overrides its method');
  const segments: string[] = [];
  for (const raw of path.slice(1).split('/')) {
    const decoded = decode(raw);
    if (decoded === null) return refused('is not encoded as UTF-8');
    if (isAmbiguous(decoded)) return refused('has a segment that servers read in different ways');
    segments.push(decoded);
  }
  return segments;
};

const refused = (why: string) => ({ refused: `The request's target ${why}` });

const decode = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/** Also after what a server that decodes once more would make of it. */
const isAmbiguous = (segment: string): boolean => {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (/[/\\\x00-\x1f\x7f]|^\.{1,2}(?:;|$)/.test(segment)) return true;
  const again = decode(segment);
  return again !== null && again !== segment && isAmbiguous(again);
};

/** Headers by which some frameworks take another method or another path than those of the request. */
const overrides =
  /^x-(http-method(-override)?|method-override|original-(method|url|uri)|rewrite-url|override-url)$/;

export const overrideIn = (headers: object): string | undefined =>
  Object.keys(headers).find((name) => overrides.test(name.replaceAll('_', '-')));

const segmentsOf = ({ path }: Pattern): readonly string[] => path.slice(1).split('/');
const isParameter = (segment: string): boolean => segment.startsWith(':');

/** Equal for patterns that the same requests match. */
export const shapeOf = (pattern: Pattern): string =>
  `${pattern.method} ${segmentsOf(pattern)
    .map((one) => (isParameter(one) ? ':' : one))
    .join('/')}`;

/** Those with a literal where others have a parameter come first. */
export const inOrder = <P extends Pattern>(patterns: readonly P[]): readonly P[] => {
  const rank = (pattern: P): string =>
    segmentsOf(pattern)
      .map((one) => Number(isParameter(one)))
      .join('');
  return patterns.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
};

/** As a laxer server may read it: whatever its case, and without what follows a `;`, or a `?` or `#` that was encoded. */
const laxly = (segment: string): string => segment.toLowerCase().replace(/[;?#].*$/s, '');

const has = (pattern: Pattern, segments: readonly string[], read: (literal: string) => string): boolean => {
  const own = segmentsOf(pattern);
  return (
    own.length === segments.length &&
    own.every((one, at) =>
      isParameter(one) ? segments[at] !== '' : read(decode(one) ?? '') === segments[at],
    )
  );
};

/**
 * The patterns that have this path, byte for byte. One with a parameter does not, where the server behind the gate may take
 * the path for that of another one, at another price.
 */
export const withPath = <P extends Pattern>(
  patterns: readonly P[],
  segments: readonly string[],
): readonly P[] => {
  const exact = patterns.filter((pattern) => has(pattern, segments, (literal) => literal));
  const lax = patterns.filter(
    (pattern) => !exact.includes(pattern) && has(pattern, segments.map(laxly), laxly),
  );
  const isTaken = ({ method }: P): boolean => lax.some((other) => other.method === method);
  return exact.filter((pattern) => !segmentsOf(pattern).some(isParameter) || !isTaken(pattern));
};
