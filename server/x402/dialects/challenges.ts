// Reads the challenges of a WWW-Authenticate header, which may hold several schemes (RFC 9110, section 11.6.1).

export interface Challenge {
  /** In lower case. */
  scheme: string;
  /** Names in lower case; null when unreadable, or when a name occurs twice. */
  parameters: Readonly<Record<string, string>> | null;
}

/** A seller checks what we send back of these, so that none of them may be read differently from how it was written. */
const bound: ReadonlySet<string> = new Set(
  'id,realm,method,intent,request,expires,header,digest,opaque'.split(','),
);

const element = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(\s*)(.*)$/s;

/** Never throws; leaves out what is not a challenge. */
export const readChallenges = (header: string): Challenge[] => {
  const challenges: { scheme: string; parameters: Map<string, string>; isBroken: boolean }[] = [];
  const add = (text: string): void => {
    const current = challenges.at(-1);
    const [, name = '', , rest = ''] = element.exec(text) ?? [];
    if (current === undefined) return;
    const key = name.toLowerCase();
    const value = rest.startsWith('=') ? valueOf(rest.slice(1).trimStart(), bound.has(key)) : null;
    if (value === null || current.parameters.has(key)) current.isBroken = true;
    else if (value !== undefined) current.parameters.set(key, value);
  };
  for (const text of elementsOf(header)) {
    const [, name = '', , rest = ''] = element.exec(text) ?? [];
    // A name without `=` begins a challenge; its first parameter or token follows.
    if (name !== '' && !rest.startsWith('=')) {
      challenges.push({ scheme: name.toLowerCase(), parameters: new Map(), isBroken: false });
      if (rest !== '') add(rest);
    } else add(text);
  }
  return challenges.map(({ scheme, parameters, isBroken }) => ({
    scheme,
    parameters: isBroken ? null : Object.fromEntries(parameters),
  }));
};

/** Splits at commas, but not within quotes. */
const elementsOf = (header: string): string[] => {
  const elements: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let index = 0; index < header.length; index += 1) {
    const character = header[index];
    if (isQuoted && character === '\\') index += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === ',' && !isQuoted) {
      elements.push(header.slice(start, index));
      start = index + 1;
    }
  }
  elements.push(header.slice(start));
  return elements.map((one) => one.trim()).filter((one) => one !== '');
};

const bareValue = /^[^\s",;\\]+$/;
const quotedValue = /^"([^"\\]*(?:\\.[^"\\]*)*)"(.*)$/s;

/**
 * Null when it cannot be read. Of a parameter that is not bound, as a description with quotes in it, only what can be
 * read counts, as in MPP's own packages: the text up to the second quote, or undefined for nothing.
 */
const valueOf = (text: string, isBound: boolean): string | null | undefined => {
  if (bareValue.test(text)) return text;
  const [, inside, more] = quotedValue.exec(text) ?? [];
  if (inside === undefined) return isBound ? null : undefined;
  if (more !== '' && isBound) return null;
  // MPP writes characters beyond Latin-1 as \uXXXX, since a header holds only bytes.
  return inside.replace(/\\(?:u([0-9A-Fa-f]{4})|(.))/gs, (_, code?: string, character?: string) =>
    code === undefined ? (character ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  );
};
