// Everything that a request could have changed, as one text to compare.
import type { Host } from '../../../server/host/options.ts';

export const stateOf = ({ engine, vault }: Pick<Host, 'engine' | 'vault'>): string => {
  const { store } = engine.context;
  const agents = store.agents.list();
  return JSON.stringify(
    {
      agents,
      policies: agents.map(({ agentId }) => store.policies.get(agentId)),
      keys: agents.map(({ agentId }) => store.keys.list(agentId)),
      transfers: [...store.transfers.iterate({})].length,
      approvals: store.approvals.list(500),
      grants: store.grants.list(),
      ceiling: store.limits.get('').dailyBudget,
      freeze: store.freeze.get(),
      deposits: store.deposits.list(null, 100).filter(({ asset }) => asset === 'USDC').length,
      vault: vault.state(),
    },
    (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value),
  );
};
