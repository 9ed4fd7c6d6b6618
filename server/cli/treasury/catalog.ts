// The catalog's sources: the facilitators whose lists of paid APIs are imported, and each import's progress.
import type { Reply } from '../../contract/schemas.ts';
import { commandGroup, ownerCommand } from '../command-row.ts';
import { inert, listing, moment } from '../table.ts';

const beginningOf = ({ name, sourceId }: Reply<'addSource'>): string[] => [
  inert(`The list of ${name} (${sourceId}) is being read. See treasury catalog sources.`),
];

export const addCatalog = commandGroup('catalog', 'the facilitators whose lists are imported', [
  ownerCommand('sources', {
    about: 'which they are, and how far that is',
    examples: ['treasury catalog sources'],
    ask: (owner) => owner.ask('listSources'),
    show: ({ sources, suggestions }, terminal) => [
      ...listing(terminal, sources, 'No source is imported.', {
        SOURCE: 'sourceId',
        NAME: 'name',
        STATE: 'state',
        READ: ({ done, total }) => `${done}/${total ?? '?'}`,
        ADDED: 'added',
        CHANGED: 'changed',
        GONE: 'vanished',
        NEXT: ({ nextRunAt }) => moment(nextRunAt),
        URL: 'url',
      }),
      ...sources.flatMap(({ name, error }) => (error === null ? [] : [inert(`${name}: ${error}`)])),
      ...suggestions.map(({ name, url }) => `You could add ${name}: treasury catalog add ${url}`),
    ],
  }),
  ownerCommand('add <url>', {
    about:
      'import a facilitator’s list of paid APIs, or what a seller’s openapi.json sells, now and every six hours',
    examples: ['treasury catalog add https://facilitator.example.com --name Example'],
    options: { name: ['name', 'what you call it'] },
    ask: (owner, body) => owner.ask('addSource', { body }),
    show: beginningOf,
  }),
  ownerCommand('refresh <source>', {
    about: 'read its list again now',
    examples: ['treasury catalog refresh src_01k2'],
    ask: (owner, { source: sourceId }) => owner.ask('refreshSource', { params: { sourceId } }),
    show: beginningOf,
  }),
  ownerCommand('remove <source>', {
    about: 'stop importing it; its entries stay, marked as no longer listed; asks first',
    examples: ['treasury catalog remove src_01k2'],
    confirm: ({ source }) => `Stop importing ${source}?`,
    ask: (owner, { source: sourceId }) => owner.ask('removeSource', { params: { sourceId } }),
    show: () => ['Removed. Entries that no other source lists are marked.'],
  }),
]);
