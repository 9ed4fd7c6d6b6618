// A code that two screens show, so that a person sees that they speak of the same thing.
import { randomInt } from 'node:crypto';

/** Letters and digits that nobody takes for one another. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Such as `7KM-Q2X`. */
export const newPairingCode = (): string =>
  Array.from(
    { length: 6 },
    (_, index) => (index === 3 ? '-' : '') + (alphabet[randomInt(alphabet.length)] ?? ''),
  ).join('');
