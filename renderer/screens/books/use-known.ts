// The agents, groups, services, payees and origins that a rule can name: those that there are, and those that were paid.
import { agentChoices } from '../../shared/choices.ts';
import { useOwner } from '../../stores/queries.ts';
import { useGroups } from '../agents/groups/use-groups.ts';
import type { RuleMatch } from './rule-words.ts';

export interface Choice {
  value: string;
  label: string;
}

export type Known = Record<keyof RuleMatch, readonly Choice[]>;

const same = (texts: Iterable<string>): Choice[] =>
  [...new Set(texts)].filter((text) => text !== '').map((text) => ({ value: text, label: text }));

export const useKnown = (month: string): Known => {
  const agents = useOwner('listAgents').data?.agents ?? [];
  const totals = useOwner('bookTotals', { params: { month } }).data;
  const catalog = useOwner('searchServices', { query: { limit: '100', sort: 'used' } }).data?.results ?? [];
  const seen = new Map(
    [...(totals?.before.services ?? []), ...(totals?.now.services ?? [])]
      .filter(({ serviceId }) => serviceId !== '')
      .map(({ serviceId, name }) => [serviceId, name]),
  );
  const used = catalog.filter(({ id, reputation }) => seen.has(id) || reputation.calls > 0);
  for (const { id, name } of used) seen.set(id, name);
  return {
    agentId: agentChoices(agents),
    groupId: useGroups().map(({ groupId, name }) => ({ value: groupId, label: name })),
    serviceId: [...seen].map(([value, label]) => ({ value, label })),
    payee: same(used.flatMap(({ payees }) => payees)),
    origin: same([
      ...used.map(({ origin }) => origin),
      // A service outside the catalog has the origin as its id.
      ...[...seen.keys()].filter((id) => URL.canParse(id)).map((id) => new URL(id).origin),
    ]),
  };
};

/** The name of what a condition names; itself where it is not known. */
export const nameIn = (known: Known, field: keyof RuleMatch, value: string): string =>
  known[field].find((choice) => choice.value === value)?.label ?? value;
