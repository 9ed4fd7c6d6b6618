// The catalog's sources: the facilitators whose lists of paid APIs are imported, and each import's progress.
import type { Command } from 'commander';
import type { Reply } from '../../contract/schemas.ts';
import { confirm } from '../ending.ts';
import { asOwner } from '../session.ts';
import { inert, moment, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

type Source = Reply<'addSource'>;

export const addCatalog = (program: Command, terminal: () => Terminal): void => {
  const catalog = program.command('catalog').description('the facilitators whose lists are imported');
  catalog
    .command('sources')
    .description('which they are, and how far that is')
    .action(() => list(terminal()));
  catalog
    .command('add <url>')
    .description('import a facilitator’s list of paid APIs, now and every six hours')
    .option('--name <name>', 'what you call it')
    .action((url: string, { name }: { name?: string }) => add(terminal(), url, name));
  catalog
    .command('refresh <source>')
    .description('read its list again now')
    .action((sourceId: string) => refresh(terminal(), sourceId));
  catalog
    .command('remove <source>')
    .description('stop importing it; its entries stay, marked as no longer listed; asks first')
    .option('--yes', 'you are sure', false)
    .action((sourceId: string, { yes }: { yes: boolean }) => remove(terminal(), sourceId, yes));
};

const list = async (terminal: Terminal): Promise<void> => {
  const answer = await asOwner(terminal).ask('listSources');
  show(terminal, answer, () => [
    ...(answer.sources.length === 0
      ? ['No source is imported.']
      : table(
          terminal,
          ['SOURCE', 'NAME', 'STATE', 'READ', 'ADDED', 'CHANGED', 'GONE', 'NEXT', 'URL'],
          answer.sources.map((source) => [
            source.sourceId,
            source.name,
            source.state,
            `${source.done}/${source.total ?? '?'}`,
            `${source.added}`,
            `${source.changed}`,
            `${source.vanished}`,
            moment(source.nextRunAt),
            source.url,
          ]),
        )),
    ...answer.sources.flatMap(({ name, error }) => (error === null ? [] : [inert(`${name}: ${error}`)])),
    ...answer.suggestions.map(({ name, url }) => `You could add ${name}: treasury catalog add ${url}`),
  ]);
};

const add = async (terminal: Terminal, url: string, name: string | undefined): Promise<void> => {
  const source = await asOwner(terminal).ask('addSource', {
    body: { url, ...(name === undefined ? {} : { name }) },
  });
  show(terminal, source, () => beginningOf(source));
};

const refresh = async (terminal: Terminal, sourceId: string): Promise<void> => {
  const source = await asOwner(terminal).ask('refreshSource', { params: { sourceId } });
  show(terminal, source, () => beginningOf(source));
};

const beginningOf = ({ name, sourceId }: Source): string[] => [
  inert(`The list of ${name} (${sourceId}) is being read. See treasury catalog sources.`),
];

const remove = async (terminal: Terminal, sourceId: string, isConfirmed: boolean): Promise<void> => {
  const owner = asOwner(terminal);
  await confirm(terminal, `Stop importing ${sourceId}?`, isConfirmed);
  const removed = await owner.ask('removeSource', { params: { sourceId } });
  show(terminal, removed, () => ['Removed. Entries that no other source lists are marked.']);
};
