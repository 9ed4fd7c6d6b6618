// Agents by the names that the owner knows. An agent can rename itself: where two names could be mistaken for each other,
// the id is added.
export interface Named {
  agentId: string;
  displayName: string;
}

const sounds = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s._-]+/g, '');

/** A name for each agent. */
export const namesOf = (agents: readonly Named[]): ReadonlyMap<string, string> => {
  const owners = Map.groupBy(
    agents.flatMap(({ agentId, displayName }) => [
      { agentId, said: sounds(displayName) },
      { agentId, said: sounds(agentId) },
    ]),
    ({ said }) => said,
  );
  const isAlone = ({ agentId, displayName }: Named): boolean =>
    (owners.get(sounds(displayName)) ?? []).every((other) => other.agentId === agentId);
  return new Map(
    agents.map((agent) => {
      const { agentId, displayName } = agent;
      return [agentId, isAlone(agent) ? displayName : `${displayName} (${agentId})`];
    }),
  );
};
