// The name and the id of a new agent: their rules, and the id that a name proposes.

const agentIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const nameRule = (name: string): string | null => (name.trim() === '' ? 'Give it a name.' : null);

export const agentIdRule = (agentId: string): string | null =>
  agentIdPattern.test(agentId)
    ? null
    : 'Begin with a letter or digit; then letters, digits, dots, underscores and hyphens.';

/** `Trip planner!` becomes `trip-planner`. Accents are dropped; the result may be empty. */
export const proposeAgentId = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replaceAll(/^-+|-+$/g, '');

/** The id in a form whose name becomes `next`: it follows the name until the owner has written another. */
export const followingId = ({ name, agentId }: { name: string; agentId: string }, next: string): string =>
  agentId === proposeAgentId(name) ? proposeAgentId(next) : agentId;
