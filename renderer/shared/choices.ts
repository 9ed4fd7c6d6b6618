// The choices that a list offers, by their values and labels.
import { namesOf, type Named } from '../../server/contract/agents/agent-names.ts';

export interface Choice {
  value: string;
  label: string;
}

export const choicesOf = (labels: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

export const agentChoices = (agents: readonly Named[]): Choice[] =>
  [...namesOf(agents)].map(([value, label]) => ({ value, label }));
