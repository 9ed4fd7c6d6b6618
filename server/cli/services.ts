// Listing the services.
import type { Command } from 'commander';
import { createClient } from '../client/client.ts';
import { readEndpoint } from '../client/endpoint.ts';
import { wholeNumber } from './arguments.ts';
import { table } from './table.ts';
import { show, type Terminal } from './terminal.ts';

export const addServices = (program: Command, terminal: () => Terminal): void => {
  program
    .command('services [query]')
    .description('find paid services')
    .option('--limit <n>', 'at most this many', wholeNumber, 20)
    .action((query: string | undefined, { limit }: { limit: number }) =>
      services(terminal(), query ?? '', limit),
    );
};

const services = async (terminal: Terminal, q: string, limit: number): Promise<void> => {
  const client = createClient(readEndpoint(terminal.dataDir), null);
  const found = await client.ask('searchServices', { query: { q, limit: String(limit) } });
  show(terminal, found, () =>
    found.results.length === 0
      ? ['No service fits. Try fewer words.']
      : table(
          terminal,
          ['SERVICE', 'NAME', 'USDC', 'CATEGORY', 'ENDPOINT'],
          found.results.map(({ id, name, price, category, endpoint }) => [
            id,
            name,
            price ?? '',
            category,
            endpoint,
          ]),
        ),
  );
};
