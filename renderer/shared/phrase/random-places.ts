// Chooses the words of a recovery phrase to ask for.

/** `count` different positions from 1 to `last`, ascending. `random` returns numbers in [0, 1). */
export const randomPlaces = (count: number, last: number, random: () => number): number[] => {
  const left = Array.from({ length: last }, (_, index) => index + 1);
  const taken: number[] = [];
  while (taken.length < count && left.length > 0) {
    taken.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return taken.toSorted((a, b) => a - b);
};

export const ordinal = (place: number): string => {
  const tens = place % 100;
  const ending = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][place % 10] ?? 'th');
  return `${place}${ending}`;
};
