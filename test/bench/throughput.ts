import type { Result } from './report.ts';
export const benchThroughput = (): Promise<Result[]> => Promise.resolve([]);
