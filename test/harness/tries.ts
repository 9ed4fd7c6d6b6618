// The number of tries of a test that loops. `npm test` tries often enough to catch the bugs that the test is there for;
// gate 11 of the campaign runs the whole loop.
export const isLarge = process.env['TREASURY_TESTS'] === 'large';

export const tries = (few: number, all: number): number => (isLarge ? all : few);
