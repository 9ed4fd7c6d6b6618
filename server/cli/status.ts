// `treasury status`: the treasury at a glance.
import { createClient } from '../client/client.ts';
import { readEndpoint } from '../client/endpoint.ts';
import { readToken } from '../client/terminal-token.ts';
import { AppError } from '../errors.ts';
import { formatUsdc, usdc } from '../money.ts';
import type { Terminal } from './terminal.ts';

/** @throws AppError `unauthorized` when this terminal was not let in */
export const status = async ({ dataDir, json, print }: Terminal): Promise<void> => {
  const endpoint = readEndpoint(dataDir);
  const token = readToken(dataDir);
  if (token === null) throw new AppError('unauthorized', 'This terminal is not let in. Run: treasury login');
  const snapshot = await createClient(endpoint, token).ask('dashboard');
  if (json) return print(JSON.stringify(snapshot));
  const { treasury, agents, network, frozen, freeze, locked, halted, pendingApprovals } = snapshot;
  const state = [
    halted === null ? null : `stopped: ${halted}`,
    frozen ? `frozen: ${freeze.reason ?? ''}` : null,
    locked ? 'locked' : null,
  ].filter((one) => one !== null);
  print(`Treasury   ${treasury.walletAddress}  (${network})`);
  print(`Balance    ${formatUsdc(usdc(BigInt(treasury.amount)))} USDC, ${treasury.sol} SOL for fees`);
  print(`State      ${state.length === 0 ? 'running' : state.join('; ')}`);
  print(`Waiting    ${pendingApprovals} for your word`);
  for (const { agentId, balance, spentToday, policy, status: agentStatus } of agents)
    print(
      `Agent      ${agentId}  ${balance} USDC, ${spentToday} of ${policy.dailyBudget} today${agentStatus === 'active' ? '' : ', paused'}`,
    );
};
