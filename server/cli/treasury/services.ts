// `treasury services`: finding paid services, and the owner's own entries of the catalog.
import type { Reply } from '../../contract/schemas.ts';
import { serviceLimitWords } from '../../contract/limits/service-limits.ts';
import { AppError } from '../../errors.ts';
import { wholeNumber } from '../arguments.ts';
import { anyonesCommand, command, commandGroup, ownerCommand, sure } from '../command-row.ts';
import { confirm } from '../ending.ts';
import { asOwner } from '../session.ts';
import { facts, inert, listing, moment } from '../table.ts';
import { sayOf, show } from '../terminal.ts';

/** The owner's words on a service for all agents. */
const rules = {
  block: { blocked: true },
  unblock: { blocked: false },
  'trust-seller': { trusted: true },
  'distrust-seller': { trusted: false },
} as const;
const ruleWords = Object.keys(rules) as [keyof typeof rules, ...(keyof typeof rules)[]];

export const addServices = commandGroup('services', 'find paid services, add your own, trust payees', [
  anyonesCommand('list [query]', {
    isDefault: true,
    about: 'find paid services; without words, the most useful ones',
    examples: ['treasury services weather', 'treasury services --limit 100'],
    options: { limit: ['n', 'at most this many', wholeNumber, 20] },
    ask: (client, { query: q = '', limit }) =>
      client.ask('searchServices', { query: { q, limit: `${limit}` } }),
    show: ({ results }, terminal) =>
      listing(terminal, results, 'No service fits. Try fewer words.', {
        SERVICE: 'id',
        NAME: 'name',
        USDC: 'price',
        CATEGORY: 'category',
        ENDPOINT: 'endpoint',
      }),
  }),
  command('add <url>', {
    about: 'ask a paid API what it costs, and add it as you are shown it; asks first',
    examples: ['treasury services add https://api.example.com/report --name Reports'],
    options: { name: ['text', 'what you call it'], yes: sure },
    /** Adds exactly the service that was shown: the request carries its hash. */
    async run(terminal, { yes, ...body }) {
      const owner = asOwner(terminal);
      const preview = await owner.ask('previewService', { body });
      previewLines(preview).forEach(sayOf(terminal));
      await confirm(terminal, 'Add it to the catalog, exactly as shown?', yes);
      const added = await owner.ask('addService', { body: { ...body, hash: preview.hash } });
      show(terminal, added, () => [inert(`Added. Agents find it as ${added.id}.`)]);
    },
  }),
  command('trust <service>', {
    about: 'accept the payees that a service names now; asks first',
    examples: ['treasury services trust api.example.com-report  # after its payees have changed'],
    options: { yes: sure },
    async run(terminal, { service: serviceId, yes }) {
      const owner = asOwner(terminal);
      const { results } = await owner.ask('searchServices', { query: { q: serviceId, limit: '100' } });
      const service = results.find(({ id }) => id === serviceId);
      if (service === undefined) throw new AppError('not_found', `There is no service ${serviceId}.`);
      const payees = service.payeeChange?.payees;
      if (payees === undefined)
        return show(terminal, service, () => [
          inert(`${service.id} names no other payees than you know: ${service.payees.join(' ')}`),
        ]);
      const payeeLines = facts([
        ['Payees so far', service.payees.join(' ')],
        ['Payees now', payees.join(' ')],
      ]);
      payeeLines.forEach(sayOf(terminal));
      await confirm(terminal, `Trust the payees that ${service.id} names now?`, yes);
      const trusted = await owner.ask('acceptPayees', { params: { serviceId }, body: { payees } });
      show(terminal, trusted, () => ['Trusted. Payments go to the payees above.']);
    },
  }),
  ownerCommand('rule <service> [word]', {
    about: 'print whether a service is blocked and its seller trusted, or change that',
    examples: ['treasury services rule web-search', 'treasury services rule web-search block'],
    arguments: { word: ['what you say of it', ruleWords] },
    ask: (owner, { service: serviceId, word }) =>
      word === undefined
        ? owner.ask('getService', { params: { serviceId } })
        : owner.ask('setServiceRule', { params: { serviceId }, body: rules[word] }),
    show: ({ name, blockedAt, isTrusted, mayTrust }) =>
      facts([
        ['Service', name],
        ['Blocked', blockedAt === null ? 'no' : `for all agents, since ${moment(blockedAt)}`],
        ['Trusted', isTrusted ? 'yes' : mayTrust ? 'no' : 'no: it is in no imported list'],
      ]),
  }),
  command('remove <service>', {
    about: 'remove a service that you added, so that it is no longer paid; asks first',
    examples: ['treasury services remove reports'],
    options: { yes: sure },
    async run(terminal, { service: serviceId, yes }) {
      const owner = asOwner(terminal);
      const { limits } = await owner.ask('getService', { params: { serviceId } });
      const say = sayOf(terminal);
      for (const { node, limit } of limits)
        say(`The removal ends the limit of ${nodeWords(node)}: at most ${serviceLimitWords(limit)}.`);
      if (limits.length > 0)
        say('Payments to its address count as those of the address. Set limits there instead.');
      await confirm(terminal, `Remove ${serviceId}, so that it is no longer paid by this name?`, yes);
      const removed = await owner.ask('removeService', { params: { serviceId } });
      show(terminal, removed, () => ['Removed.']);
    },
  }),
]);

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

/** An agent chooses the label of a key that it delegates. */
const nodeWords = ({ kind, name }: Reply<'getService'>['limits'][number]['node']): string => {
  if (kind === 'treasury') return 'all agents together';
  return kind === 'key' ? `the delegated key ${JSON.stringify(inert(name))}` : `the ${kind} ${inert(name)}`;
};
