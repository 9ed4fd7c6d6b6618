// The time left until a deadline, in words.
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

export const timeLeft = (ms: number): string => {
  if (ms <= 0) return 'no time';
  if (ms >= day) return two(ms, day, 'd', hour, 'h');
  if (ms >= hour) return two(ms, hour, 'h', minute, 'min');
  if (ms >= minute) return two(ms, minute, 'min', second, 's');
  return `${Math.ceil(ms / second)} s`;
};

const two = (ms: number, large: number, largeName: string, small: number, smallName: string): string => {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
};
