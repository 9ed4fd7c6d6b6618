// The expiry of a standing approval.
export const spans = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '1 week' },
  { value: '720', label: '30 days' },
  { value: 'date', label: 'A date' },
] as const;
export type Span = (typeof spans)[number]['value'];

/** ISO 8601; null for a missing or past date. A date lasts until its end, by this machine's clock. */
export const untilOf = (span: Span, date: string, now: number): string | null => {
  if (span !== 'date') return new Date(now + Number(span) * 3_600_000).toISOString();
  const end = new Date(`${date}T23:59:59`);
  return Number.isNaN(end.getTime()) || end.getTime() <= now ? null : end.toISOString();
};
