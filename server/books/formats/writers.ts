import type { Writers } from './writer.ts';
export const writers = {} as Writers;
