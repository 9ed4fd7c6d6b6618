export const PASSPHRASE = 'correct horse battery';
export const PHRASE =
  'void come effort suffer camp survey warrior heavy shoot primary clutch crush open amazing screen patrol group space point ten exist slush involve unfold';
/** Cheap parameters, for tests alone. */
export const scryptCost = { N: 16, r: 1, p: 1 };
