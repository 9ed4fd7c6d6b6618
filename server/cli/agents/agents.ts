// Agents: list, create, rename, stop and resume them, and give them USDC or take it back.
import type { Reply } from '../../contract/schemas.ts';
import { parseUsdc } from '../../money.ts';
import { amount, idempotencyKey, limit, once, reasonFrom, reasonOption } from '../arguments.ts';
import { agentOrOwnerCommand, command, ownerCommand } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { mcpServerLines } from './keys.ts';
import { asAgentOrOwner, asOwner, showAnswer, type Session } from '../session.ts';
import { endedLines, facts, listing } from '../table.ts';
import type { Terminal } from '../terminal.ts';

const keyOption = ['text', 'Idempotency-Key: repeats instead of doing it again', idempotencyKey] as const;

export const agentsCommands = [
  ownerCommand('agents', {
    about: 'all agents with balance and spending',
    examples: ['treasury agents', 'treasury agents --json | jq -r ".agents[].agentId"'],
    async ask(owner) {
      const [{ agents }, listed] = await Promise.all([owner.ask('dashboard'), owner.ask('listAgents')]);
      const archived = listed.agents.filter((one) => one.archived && (parseUsdc(one.balance) ?? 0n) > 0n);
      return { agents, archived };
    },
    show: ({ agents, archived }, terminal) => [
      ...listing(
        terminal,
        agents,
        'No agents yet. Make one: treasury deploy ID --daily-budget 5 --max-per-payment 1',
        {
          AGENT: 'agentId',
          NAME: 'displayName',
          STATUS: 'status',
          USDC: 'balance',
          'SPENT TODAY': 'spentToday',
          'DAILY BUDGET': ({ inForce }) =>
            `${inForce.dailyBudget}${inForce.boost === null ? '' : ' (boosted)'}`,
          WAITING: 'pendingApprovals',
        },
      ),
      ...archived.map(
        ({ agentId, balance }) =>
          `${agentId} is archived and holds ${balance} USDC. Take it back: treasury recall ${agentId} ${balance}`,
      ),
    ],
  }),
  command('deploy <agent>', {
    about: 'create an agent with a wallet, a policy and a key that is shown once',
    examples: [
      'treasury deploy scout --daily-budget 5 --max-per-payment 0.50 --allocate 10',
      'treasury deploy writer --daily-budget 1 --max-per-payment 1 --name "The writer"',
    ],
    options: {
      dailyBudget: { needed: ['usdc', 'what it may spend in 24 hours', limit] },
      maxPerPayment: { needed: ['usdc', 'what one payment may be', limit] },

      name: ['text', 'a name for people'],
      reason: reasonOption,
      allocate: ['usdc', 'give it this much from the treasury', amount],
    },
    async run(terminal, { agent: agentId, name, reason, allocate, ...budgets }) {
      const session = asAgentOrOwner(terminal);
      const named = name === undefined ? {} : { displayName: name };
      const body = { agentId, ...budgets, ...named, ...reasonFrom(session.role, reason) };
      const deployed = await session.ask('deploy', { body });
      // Printed before anything else can fail: the API key is not shown again.
      showAnswer<'deploy'>(terminal, deployed, (done) => deployLines(done, allocate !== undefined));
      if (allocate === undefined) return;
      const silent: Terminal = terminal.json ? { ...terminal, print: () => {} } : terminal;
      await moveUsdc(silent, 'allocate', { agentId, usdc: allocate });
    },
  }),
  agentOrOwnerCommand('rename <agent> <name>', {
    about: 'change the name for people; the id stays',
    examples: ['treasury rename scout "Research Scout"'],
    ask: (session, { agent: agentId, name: displayName }) =>
      session.ask('rename', { params: { agentId }, body: { displayName } }),
    show: ({ agentId, displayName }) => facts([[agentId, displayName]]),
  }),
  agentOrOwnerCommand('kill <agent>', {
    about: 'pause an agent: it pays nothing until you resume it',
    examples: ['treasury kill scout'],
    ask: (session, { agent: agentId }) => session.ask('kill', { params: { agentId } }),
    show: ({ agentId, status, ended }) => [...facts([[agentId, status]]), ...endedLines(ended)],
  }),
  agentOrOwnerCommand('resume <agent>', {
    about: 'let a paused agent pay again',
    examples: ['treasury resume scout'],
    options: { reason: reasonOption },
    ask: (session, { agent: agentId, reason }) =>
      session.ask('resume', { params: { agentId }, body: reasonFrom(session.role, reason) }),
    show: ({ agentId, status }) => facts([[agentId, status]]),
  }),
  command('allocate <agent> <usdc>', {
    about: 'move USDC from the treasury to an agent',
    examples: [
      'treasury allocate scout 10',
      'treasury allocate scout 10 --key april  # repeated, it is done once',
    ],
    arguments: { usdc: ['how much', amount] },
    options: { key: keyOption, reason: reasonOption },
    run: (terminal, { agent: agentId, ...given }) => moveUsdc(terminal, 'allocate', { agentId, ...given }),
  }),
  command('recall <agent> <usdc>', {
    about: 'move USDC from an agent back to the treasury',
    examples: ['treasury recall scout 2.50'],
    arguments: { usdc: ['how much, or all', (text: string) => (text === 'all' ? text : amount(text))] },
    options: { key: keyOption },
    async run(terminal, { agent: agentId, usdc: wished, ...given }) {
      const usdc = wished === 'all' ? await allAt(terminal, agentId) : wished;
      await moveUsdc(terminal, 'recall', { agentId, usdc, ...given });
    },
  }),
];

/** All USDC of an agent, archived or not. @throws Ending when that is nothing */
const allAt = async (terminal: Terminal, agentId: string): Promise<string> => {
  const { agents } = await asOwner(terminal).ask('listAgents');
  const agent = agents.find((one) => one.agentId === agentId);
  if (agent === undefined) throw new Ending('refused', `There is no agent ${agentId}. See: treasury agents`);
  if ((parseUsdc(agent.balance) ?? 0n) === 0n)
    throw new Ending('refused', `${agentId} holds no USDC: there is nothing to recall.`);
  return agent.balance;
};

const deployLines = ({ agent, mcpConfig, warning }: Reply<'deploy'>, isFunded: boolean): string[] => [
  ...facts([
    ['Agent', agent.agentId],
    ['Wallet', agent.walletAddress],
  ]),
  ...mcpServerLines('Its MCP server', mcpConfig),
  ...(warning === undefined || isFunded ? [] : [warning]),
  ...(isFunded ? [] : [`Next: treasury allocate ${agent.agentId} AMOUNT`]),
];

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
