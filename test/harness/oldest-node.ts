// The machine's own Node, which may be as old as 20; npm puts another one first.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const oldestNode = (process.env['PATH'] ?? '')
  .split(':')
  .map((folder) => join(folder, 'node'))
  .find((file) => existsSync(file) && !file.includes('node_modules'));
