// Dates and times as the formats write them.

/** Entries of one transfer have the same moment and come one after the other: its text is made once. */
export const oncePerMoment = (textOf: (at: number) => string): ((at: number) => string) => {
  let known = { at: Number.NaN, text: '' };
  return (at) => {
    if (at !== known.at) known = { at, text: textOf(at) };
    return known.text;
  };
};

/** `2026-11-22 10:00:00`, in UTC. */
export const utcTime = oncePerMoment((at) => new Date(at).toISOString().slice(0, 19).replace('T', ' '));

/** `11/22/2026`, with the time behind it if there is one. @param date begins with YYYY-MM-DD */
export const usDate = (date: string): string =>
  `${date.slice(5, 7)}/${date.slice(8, 10)}/${date.slice(0, 4)}${date.slice(10)}`;
