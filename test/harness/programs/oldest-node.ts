// The machine's own Node, which may be as old as 20; npm puts another one first.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const oldestNode = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
  .find((file) => existsSync(file) && !file.includes('node_modules'));
