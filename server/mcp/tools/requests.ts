// Further changes to an agent. Stopping and naming take effect at once; anything that costs the owner money or lets the
// agent pay again becomes a request to the owner.
import { z } from 'zod';
import { approvalReply } from '../../contract/approvals/approvals.schemas.ts';
import { isFar } from '../../client/unreached.ts';
import { AppError } from '../../errors.ts';
import { amount as decimal, reason, waitSeconds } from '../arguments.ts';
import { waiting, waitingFor } from '../results.ts';
import { stoppedMeanwhile } from '../stops.ts';
import { changing, reading, tool, type BridgeDeps } from '../tool.ts';

/** @throws AppError `unauthorized` for another agent, which this bridge's API key can neither stop nor resume */
const ownAlone = (agentId: string, deps: BridgeDeps): string => {
  if (agentId === deps.agentId()) return agentId;
  const own = deps.agentId();
  throw new AppError('unauthorized', `This bridge acts for ${own} and for no other agent.`, { agentId: own });
};

const allocateBudget = tool('allocate_budget', {
  title: 'Ask for USDC from the treasury',
  description:
    'Asks the owner to move USDC from the treasury into this agent’s wallet. For when check_balance shows too little; no limit changes.',
  annotations: changing,
  input: z.object({
    amount: decimal('how much'),
    agentId: z.string().optional().describe('this agent’s id; may be left out'),
    reason,
  }),
  output: [
    z.object({
      agentId: z.string(),
      amount: z.string(),
      currency: z.string(),
      txSignature: z.string().nullable(),
      status: z.string(),
      timestamp: z.string(),
      balance: z.string(),
    }),
    waiting,
  ],
  async run({ amount, agentId, reason: why }, deps) {
    const params = { agentId: ownAlone(agentId ?? deps.agentId(), deps) };
    const body = { amount, ...(why === undefined ? {} : { reason: why }) };
    const answer = await deps.client.ask('allocate', { params, body }, { key: deps.newKey() });
    if (answer.status === 200) return { text: `${amount} USDC were moved.`, content: { ...answer.body } };
    return waitingFor(`Moving ${amount} USDC`, answer.body);
  },
});

const deployAgent = tool('deploy_agent', {
  title: 'Ask for a new agent',
  description:
    'Asks the owner for a further agent with a wallet and limits of its own. The owner alone is shown its API key, and puts it into mcpConfig.',
  annotations: changing,
  input: z.object({
    agentId: z.string().describe('letters, digits, dots, underscores, hyphens; never changes'),
    dailyBudget: decimal('most in 24 hours'),
    maxPerPayment: decimal('most for one payment'),
    reason,
  }),
  output: [
    waiting.extend({
      agentId: z.string(),
      mcpConfig: z.object({
        command: z.string(),
        args: z.array(z.string()),
        env: z.record(z.string(), z.string()),
      }),
      nextSteps: z.array(z.string()),
    }),
  ],
  async run({ reason: why, ...wanted }, { client, self, env }) {
    const { agentId } = wanted;
    const body = { ...wanted, ...(why === undefined ? {} : { reason: why }) };
    const answer = await client.ask('deploy', { body });
    // With an agent's API key this always asks the owner; any other reply would carry a new agent's API key.
    if (answer.status !== 202) throw new AppError('internal', 'The treasury answered in an unexpected way.');
    const asked = waitingFor(`The new agent ${agentId}`, answer.body);
    const { url, owner } = client.place();
    const folder = env['TREASURY_DATA'] === undefined ? {} : { TREASURY_DATA: env['TREASURY_DATA'] };
    const place = isFar(url) ? { TREASURY_URL: url } : folder;
    const nextSteps = [
      `Wait for the owner: get_approval ${answer.body.approvalId}.`,
      'The owner, who alone is shown the API key, adds it as TREASURY_API_KEY to mcpConfig.env.',
      `The owner allocates USDC to ${agentId}; then it can pay within its policy.`,
    ];
    const mcpConfig = {
      command: self.command,
      args: [...self.args],
      env: { ...place, TREASURY_OWNER: owner ?? '', TREASURY_AGENT_ID: agentId },
    };
    return { text: asked.text, content: { ...asked.content, agentId, mcpConfig, nextSteps } };
  },
});

const ownAgent = z.object({ agentId: z.string().describe('this agent’s own id') });
const statusNow = z.object({ agentId: z.string(), status: z.enum(['active', 'suspended']) });

const killAgent = tool('kill_agent', {
  title: 'Stop this agent’s payments',
  description:
    'Suspends this agent at once: every payment is refused, and waiting requests are declined; its money stays. Only the owner can lift it.',
  annotations: { ...changing, destructiveHint: true, idempotentHint: true },
  input: ownAgent,
  output: [statusNow],
  async run({ agentId }, deps) {
    const params = { agentId: ownAlone(agentId, deps) };
    const { body } = await deps.client.ask('kill', { params }, { repeatable: true });
    return { text: `${agentId} is ${body.status} and pays nothing.`, content: { ...body } };
  },
});

const resumeAgent = tool('resume_agent', {
  title: 'Ask to resume this agent',
  description: 'Asks the owner to let a paused agent pay again. Nothing changes until the owner agrees.',
  annotations: changing,
  input: ownAgent.extend({ reason }),
  output: [statusNow, waiting],
  async run({ agentId, reason: why }, deps) {
    const params = { agentId: ownAlone(agentId, deps) };
    const body = why === undefined ? {} : { reason: why };
    const answer = await deps.client.ask('resume', { params, body });
    if (answer.status === 200) return { text: `${agentId} is active.`, content: { ...answer.body } };
    return waitingFor(`Resuming ${agentId}`, answer.body);
  },
});

const renameAgent = tool('rename_agent', {
  title: 'Rename this agent',
  description: 'Changes the label that the owner sees for this agent. Its agentId stays.',
  annotations: { ...changing, idempotentHint: true },
  input: ownAgent.extend({ displayName: z.string().describe('at most 80 characters') }),
  output: [z.object({ agentId: z.string(), displayName: z.string() })],
  async run({ agentId, displayName }, deps) {
    const { body } = await deps.client.ask(
      'rename',
      { params: { agentId: ownAlone(agentId, deps) }, body: { displayName } },
      { repeatable: true },
    );
    return { text: `${agentId} is now shown as ${body.displayName}.`, content: { ...body } };
  },
});

const getApproval = tool('get_approval', {
  title: 'What did the owner say?',
  description:
    'The state of a request to the owner: pending, granted (with its result), denied, expired or cancelled. Rather than ask again and again, wait for the answer with waitSeconds.',
  annotations: reading,
  input: z.object({ approvalId: z.string(), waitSeconds: waitSeconds('the owner', 0) }),
  output: [
    approvalReply
      .pick({ approvalId: true, kind: true, agentId: true, status: true, expiresAt: true, decidedAt: true })
      .extend({ result: z.record(z.string(), z.unknown()).nullable() }),
  ],
  async run({ approvalId, waitSeconds: wished }, { client, news }, signal) {
    const { found, stop } = await news.until(
      () => client.ask('getApproval', { params: { approvalId } }),
      ({ body: { status } }) => status !== 'pending',
      {
        concerns: ({ type, data }) => type === 'approval' && data.approvalId === approvalId,
        waitMs: wished * 1_000,
        signal,
      },
    );
    const { kind, status } = found.body;
    return {
      text: `The request (${kind}) is ${status}.${stoppedMeanwhile(stop)}`,
      content: { ...found.body },
    };
  },
});

export const requestTools = [allocateBudget, deployAgent, killAgent, resumeAgent, renameAgent, getApproval];
