// How often a test tries what it tries many times. `npm test` tries enough of it to see the bugs that it is there for;
// gate 11 of the campaign tries all of it.
const isLarge = process.env['TREASURY_TESTS'] === 'large';

export const tries = (few: number, all: number): number => (isLarge ? all : few);
