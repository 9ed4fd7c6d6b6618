// A code shown on two screens, by which a person sees that both belong to the same request.
import { randomInt } from 'node:crypto';

/** Without letters and digits that are easily confused. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Such as `7KM-Q2X`. */
export const newPairingCode = (): string =>
  Array.from(
    { length: 6 },
    (_, index) => (index === 3 ? '-' : '') + (alphabet[randomInt(alphabet.length)] ?? ''),
  ).join('');
