// What there are many kinds of: runtimes, SDKs, web frameworks, shells. `npm test` takes the first of each kind; the
// compatibility lab (`npm run compat`) takes all.
export const isLab = process.env['TREASURY_KINDS'] === 'all';

export const kinds = <const T>(all: readonly T[]): readonly T[] => (isLab ? all : all.slice(0, 1));
