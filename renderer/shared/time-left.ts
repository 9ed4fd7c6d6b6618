// The time left until a deadline, in words.
interface Unit {
  ms: number;
  name: string;
}
const second: Unit = { ms: 1_000, name: 's' };
const minute: Unit = { ms: 60 * second.ms, name: 'min' };
const hour: Unit = { ms: 60 * minute.ms, name: 'h' };
const day: Unit = { ms: 24 * hour.ms, name: 'd' };

export const timeLeft = (ms: number): string => {
  if (ms <= 0) return 'no time';
  if (ms >= day.ms) return two(ms, day, hour);
  if (ms >= hour.ms) return two(ms, hour, minute);
  if (ms >= minute.ms) return two(ms, minute, second);
  return `${Math.ceil(ms / second.ms)} s`;
};

const two = (ms: number, large: Unit, small: Unit): string => {
  const rest = Math.floor((ms % large.ms) / small.ms);
  return `${Math.floor(ms / large.ms)} ${large.name}${rest === 0 ? '' : ` ${rest} ${small.name}`}`;
};
