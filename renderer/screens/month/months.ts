// Months of this machine's time zone, as `2026-11`.

export const thisMonth = (now = new Date()): string => monthAt(now.getFullYear(), now.getMonth());

const monthAt = (year: number, index: number): string => {
  const first = new Date(year, index, 1);
  return `${first.getFullYear()}-${String(first.getMonth() + 1).padStart(2, '0')}`;
};

export const isMonth = (text: string): boolean => /^20\d\d-(0[1-9]|1[0-2])$/.test(text);

const partsOf = (month: string): [number, number] => {
  const [year = '', number = ''] = month.split('-');
  return [Number(year), Number(number) - 1];
};

/** @param by how many months later */
export const shifted = (month: string, by: number): string => {
  const [year, index] = partsOf(month);
  return monthAt(year, index + by);
};

const startOf = (month: string): Date => {
  const [year, index] = partsOf(month);
  return new Date(year, index, 1);
};

/** `November 2026`. */
export const nameOfMonth = (month: string): string =>
  new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' }).format(startOf(month));

interface Period {
  from: string;
  to: string;
}

const period = (from: number, to: number): Period => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});

export const periodOf = (month: string): Period =>
  period(startOf(month).getTime(), startOf(shifted(month, 1)).getTime() - 1);

/** The month before; for a month that is not over, only as much of it. */
export const periodBefore = (month: string, now = Date.now()): Period => {
  const [start, next] = [startOf(shifted(month, -1)).getTime(), startOf(month).getTime()];
  const isOver = now >= startOf(shifted(month, 1)).getTime();
  return period(start, isOver ? next - 1 : Math.min(next - 1, start + Math.max(0, now - next)));
};
