// One command for each of several agents: a failure of one does not keep the others from it, and is shown.

export interface Failure {
  agentId: string;
  error: Error;
}

/** @returns what failed */
export const eachOf = async (
  agents: readonly { agentId: string }[],
  run: (agent: { agentId: string }) => Promise<unknown>,
): Promise<Failure[]> => {
  const failures: Failure[] = [];
  for (const agent of agents) {
    await run(agent).catch((error: unknown) => {
      failures.push({
        agentId: agent.agentId,
        error: error instanceof Error ? error : new Error(String(error)),
      });
    });
  }
  return failures;
};

/** @param stays such as `still pays` */
export const failuresOf = (
  failures: readonly Failure[],
  nameOf: (agentId: string) => string,
  stays: string,
): Error =>
  new Error(failures.map(({ agentId, error }) => `${nameOf(agentId)} ${stays}: ${error.message}`).join(' '));
