// The strict forms of a sign-in's fields: read from sellers, and checked again before anything is signed.

/** CAIP-122 asks for at least eight letters and digits. */
export const isNonce = (text: string): boolean => /^[A-Za-z0-9]{8,64}$/.test(text);

/** ISO 8601 with a zone, which every reader takes alike. */
export const isIsoTime = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/.test(text) &&
  !Number.isNaN(Date.parse(text));
