// `treasury services`: finding paid services, and the owner's own entries of the catalog.
import type { Command } from 'commander';
import { createClient } from '../../client/client.ts';
import { readEndpoint } from '../../client/endpoint.ts';
import type { Reply } from '../../contract/schemas.ts';
import { serviceLimitWords } from '../../contract/limits/service-limits.ts';
import { AppError } from '../../errors.ts';
import { wholeNumber } from '../arguments.ts';
import { confirm } from '../ending.ts';
import { asOwner } from '../session.ts';
import { facts, inert, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

export const addServices = (program: Command, terminal: () => Terminal): void => {
  const services = program.command('services').description('find paid services, add your own, trust payees');
  services
    .command('list [query]', { isDefault: true })
    .description('find paid services; without words, the most useful ones')
    .option('--limit <n>', 'at most this many', wholeNumber, 20)
    .action((query: string | undefined, { limit }: { limit: number }) =>
      list(terminal(), query ?? '', limit),
    );
  services
    .command('add <url>')
    .description('ask a paid API what it costs, and add it as you are shown it; asks first')
    .option('--name <text>', 'what you call it')
    .option('--yes', 'you are sure', false)
    .action((url: string, options: AddOptions) => add(terminal(), url, options));
  services
    .command('trust <service>')
    .description('accept the payees that a service names now; asks first')
    .option('--yes', 'you are sure', false)
    .action((serviceId: string, { yes }: { yes: boolean }) => trust(terminal(), serviceId, yes));
  services
    .command('remove <service>')
    .description('remove a service that you added, so that it is no longer paid; asks first')
    .option('--yes', 'you are sure', false)
    .action((serviceId: string, { yes }: { yes: boolean }) => remove(terminal(), serviceId, yes));
};

const list = async (terminal: Terminal, q: string, limit: number): Promise<void> => {
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

interface AddOptions {
  name?: string;
  yes: boolean;
}

/** Adds exactly the service that was shown: the request carries its hash. */
const add = async (terminal: Terminal, url: string, { name, yes }: AddOptions): Promise<void> => {
  const owner = asOwner(terminal);
  const body = { url, ...(name === undefined ? {} : { name }) };
  const preview = await owner.ask('previewService', { body });
  const say = terminal.json ? terminal.note : terminal.print;
  for (const line of previewLines(preview)) say(line);
  await confirm(terminal, 'Add it to the catalog, exactly as shown?', yes);
  const added = await owner.ask('addService', { body: { ...body, hash: preview.hash } });
  show(terminal, added, () => [inert(`Added. Agents find it as ${added.id}.`)]);
};

const previewLines = (preview: Reply<'previewService'>): string[] => [
  ...facts([
    ['Service', preview.serviceId],
    ['Name', preview.name],
    ['Endpoint', `${preview.endpoint} at ${preview.origin}`],
    ['Price', `${preview.price} USDC (${preview.dialect})`],
    ['Payees', preview.payees.join(' ')],
  ]),
  ...preview.warnings.map(inert),
  ...(preview.replaces ? ['It replaces the entry of this id.'] : []),
];

const trust = async (terminal: Terminal, serviceId: string, isConfirmed: boolean): Promise<void> => {
  const owner = asOwner(terminal);
  const { results } = await owner.ask('searchServices', { query: { q: serviceId, limit: '100' } });
  const service = results.find(({ id }) => id === serviceId);
  if (service === undefined) throw new AppError('not_found', `There is no service ${serviceId}.`);
  const payees = service.payeeChange?.payees;
  if (payees === undefined)
    return show(terminal, service, () => [
      inert(`${service.id} names no other payees than you know: ${service.payees.join(' ')}`),
    ]);
  const say = terminal.json ? terminal.note : terminal.print;
  for (const line of facts([
    ['Payees so far', service.payees.join(' ')],
    ['Payees now', payees.join(' ')],
  ]))
    say(line);
  await confirm(terminal, `Trust the payees that ${service.id} names now?`, isConfirmed);
  const trusted = await owner.ask('acceptPayees', { params: { serviceId }, body: { payees } });
  show(terminal, trusted, () => ['Trusted. Payments go to the payees above.']);
};

const remove = async (terminal: Terminal, serviceId: string, isConfirmed: boolean): Promise<void> => {
  const owner = asOwner(terminal);
  const { limits } = await owner.ask('getService', { params: { serviceId } });
  const say = terminal.json ? terminal.note : terminal.print;
  for (const { node, limit } of limits)
    say(`The removal ends the limit of ${nodeWords(node)}: at most ${serviceLimitWords(limit)}.`);
  if (limits.length > 0)
    say('Payments to its address count as those of the address. Set limits there instead.');
  await confirm(terminal, `Remove ${serviceId}, so that it is no longer paid by this name?`, isConfirmed);
  const removed = await owner.ask('removeService', { params: { serviceId } });
  show(terminal, removed, () => ['Removed.']);
};

/** An agent chooses the label of a key that it delegates. */
const nodeWords = ({ kind, name }: Reply<'getService'>['limits'][number]['node']): string => {
  if (kind === 'treasury') return 'all agents together';
  return kind === 'key' ? `the delegated key ${JSON.stringify(inert(name))}` : `the ${kind} ${inert(name)}`;
};
