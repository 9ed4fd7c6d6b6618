// Agents: list, create, rename, stop and resume them, and give them USDC or take it back.
import type { Command } from 'commander';
import type { Reply } from '../../contract/schemas.ts';
import { parseUsdc } from '../../money.ts';
import { Ending } from '../ending.ts';
import { amount, idempotencyKey, limit, once, reasonFrom, reasonOption } from '../arguments.ts';
import { asAgentOrOwner, asOwner, showAnswer, type Session } from '../session.ts';
import { facts, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

export const addAgents = (program: Command, terminal: () => Terminal): void => {
  program
    .command('agents')
    .description('all agents with balance and spending')
    .action(() => listAgents(terminal()));
  program
    .command('deploy <agent>')
    .description('create an agent with a wallet, a policy and a key that is shown once')
    .requiredOption('--daily-budget <usdc>', 'what it may spend in 24 hours', limit)
    .requiredOption('--max-per-payment <usdc>', 'what one payment may be', limit)
    .option('--name <text>', 'a name for people')
    .option(...reasonOption)
    .option('--allocate <usdc>', 'give it this much from the treasury', amount)
    .action((agentId: string, options: DeployOptions) => deploy(terminal(), agentId, options));
  program
    .command('rename <agent> <name>')
    .description('change the name for people; the id stays')
    .action((agentId: string, displayName: string) => rename(terminal(), agentId, displayName));
  program
    .command('kill <agent>')
    .description('pause an agent: it pays nothing until you resume it')
    .action((agentId: string) => kill(terminal(), agentId));
  program
    .command('resume <agent>')
    .description('let a paused agent pay again')
    .option(...reasonOption)
    .action((agentId: string, { reason }: { reason?: string }) => resume(terminal(), agentId, reason));
  program
    .command('allocate <agent>')
    .description('move USDC from the treasury to an agent')
    .argument('<usdc>', 'how much', amount)
    .option('--key <text>', 'Idempotency-Key: repeats instead of doing it again', idempotencyKey)
    .option(...reasonOption)
    .action((agentId: string, usdc: string, { key, reason }: { key?: string; reason?: string }) =>
      moveUsdc(terminal(), 'allocate', { agentId, usdc, reason, key }),
    );
  program
    .command('recall <agent>')
    .description('move USDC from an agent back to the treasury')
    .argument('<usdc>', 'how much, or all', (text) => (text === 'all' ? text : amount(text)))
    .option('--key <text>', 'Idempotency-Key: repeats instead of doing it again', idempotencyKey)
    .action(async (agentId: string, wished: string, { key }: { key?: string }) => {
      const usdc = wished === 'all' ? await allAt(terminal(), agentId) : wished;
      await moveUsdc(terminal(), 'recall', { agentId, usdc, key });
    });
};

/** All USDC of an agent, archived or not. @throws Ending when that is nothing */
const allAt = async (terminal: Terminal, agentId: string): Promise<string> => {
  const { agents } = await asOwner(terminal).ask('listAgents');
  const agent = agents.find((one) => one.agentId === agentId);
  if (agent === undefined) throw new Ending('refused', `There is no agent ${agentId}. See: treasury agents`);
  if ((parseUsdc(agent.balance) ?? 0n) === 0n)
    throw new Ending('refused', `${agentId} holds no USDC: there is nothing to recall.`);
  return agent.balance;
};

const listAgents = async (terminal: Terminal): Promise<void> => {
  const owner = asOwner(terminal);
  const [{ agents }, listed] = await Promise.all([owner.ask('dashboard'), owner.ask('listAgents')]);
  const archived = listed.agents.filter((one) => one.archived && (parseUsdc(one.balance) ?? 0n) > 0n);
  const left = archived.map(
    ({ agentId, balance }) =>
      `${agentId} is archived and holds ${balance} USDC. Take it back: treasury recall ${agentId} ${balance}`,
  );
  show(terminal, { agents, archived }, () => [
    ...(agents.length === 0
      ? ['No agents yet. Make one: treasury deploy ID --daily-budget 5 --max-per-payment 1']
      : table(
          terminal,
          ['AGENT', 'NAME', 'STATUS', 'USDC', 'SPENT TODAY', 'DAILY BUDGET', 'WAITING'],
          agents.map((agent) => [
            agent.agentId,
            agent.displayName,
            agent.status,
            agent.balance,
            agent.spentToday,
            agent.policy.dailyBudget,
            String(agent.pendingApprovals),
          ]),
        )),
    ...left,
  ]);
};

interface DeployOptions {
  dailyBudget: string;
  maxPerPayment: string;
  name?: string;
  reason?: string;
  allocate?: string;
}

const deploy = async (terminal: Terminal, agentId: string, options: DeployOptions): Promise<void> => {
  const { dailyBudget, maxPerPayment, name, reason } = options;
  const session = asAgentOrOwner(terminal);
  const body = {
    agentId,
    dailyBudget,
    maxPerPayment,
    ...(name === undefined ? {} : { displayName: name }),
    ...reasonFrom(session.role, reason),
  };
  const deployed = await session.ask('deploy', { body });
  // Printed before anything else can fail: the API key is not shown again.
  showAnswer<'deploy'>(terminal, deployed, (done) => deployLines(done, options.allocate !== undefined));
  if (options.allocate !== undefined) {
    const silent: Terminal = terminal.json ? { ...terminal, print: () => {} } : terminal;
    await moveUsdc(silent, 'allocate', { agentId, usdc: options.allocate });
  }
};

const deployLines = ({ agent, mcpConfig, warning }: Reply<'deploy'>, isFunded: boolean): string[] => [
  ...facts([
    ['Agent', agent.agentId],
    ['Wallet', agent.walletAddress],
  ]),
  'Its MCP server, with the key that is shown only now:',
  JSON.stringify({ mcpServers: { 'agent-treasury': mcpConfig } }, null, 2),
  ...(warning === undefined || isFunded ? [] : [warning]),
  ...(isFunded ? [] : [`Next: treasury allocate ${agent.agentId} AMOUNT`]),
];

const rename = async (terminal: Terminal, agentId: string, displayName: string): Promise<void> => {
  const renamed = await asAgentOrOwner(terminal).ask('rename', {
    params: { agentId },
    body: { displayName },
  });
  showAnswer<'rename'>(terminal, renamed, (done) => facts([[done.agentId, done.displayName]]));
};

const statusLines = ({ agentId, status }: Reply<'kill'>): string[] => facts([[agentId, status]]);

const kill = async (terminal: Terminal, agentId: string): Promise<void> => {
  const killed = await asAgentOrOwner(terminal).ask('kill', { params: { agentId } });
  showAnswer<'kill'>(terminal, killed, statusLines);
};

const resume = async (terminal: Terminal, agentId: string, reason: string | undefined): Promise<void> => {
  const session = asAgentOrOwner(terminal);
  const body = reasonFrom(session.role, reason);
  showAnswer<'resume'>(terminal, await session.ask('resume', { params: { agentId }, body }), statusLines);
};

interface Move {
  agentId: string;
  usdc: string;
  reason?: string | undefined;
  /** The idempotency key. */
  key?: string | undefined;
}

const moveUsdc = async (
  terminal: Terminal,
  route: 'allocate' | 'recall',
  { agentId, usdc, reason, key }: Move,
): Promise<void> => {
  const session: Session =
    route === 'recall' ? { role: 'owner', ...asOwner(terminal) } : asAgentOrOwner(terminal);
  const input = { params: { agentId }, body: { amount: usdc, ...reasonFrom(session.role, reason) } };
  const moved = await once(key, (used) => session.ask(route, { ...input, key: used }));
  showAnswer<'allocate' | 'recall'>(terminal, moved, (done) =>
    facts([
      [route === 'allocate' ? 'Allocated' : 'Recalled', `${done.amount} USDC, ${done.status}`],
      ['Balance', `${done.balance} USDC at ${agentId}`],
      ['Transfer', done.transferId],
    ]),
  );
};
