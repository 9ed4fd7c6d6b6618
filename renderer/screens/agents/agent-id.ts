// Proposes the id of a new agent from its name.

export const agentIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** `Trip planner!` becomes `trip-planner`. Accents are dropped; the result may be empty. */
export const proposeAgentId = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replaceAll(/^-+|-+$/g, '');
