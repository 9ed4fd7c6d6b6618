// Loaded into a host under test: at SIGUSR2 it collects garbage and writes down the memory that is left.
import { renameSync, writeFileSync } from 'node:fs';

const file = process.env['MEMORY_PROBE'] ?? '';

process.on('SIGUSR2', () => {
  for (let pass = 0; pass < 3; pass += 1) globalThis.gc?.();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const resources = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (name) => name));
  const handles = Object.fromEntries(resources.map(([name, all]) => [name, all?.length ?? 0]));
  writeFileSync(`${file}.new`, JSON.stringify({ rss, heapTotal, heapUsed, external, handles }));
  renameSync(`${file}.new`, file);
});
