// Changes to an agent or its limits. Tightening, stopping and naming take effect at once; anything that loosens limits
// or costs the owner money becomes a request to the owner.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { byKind, fieldEntries, type FieldEntry, type ToldPolicy } from '../../contract/policy-fields.ts';
import { policyReply } from '../../contract/policy.ts';
import { approvalReply } from '../../contract/approvals.ts';
import { AppError } from '../../errors.ts';
import { parseUsdc } from '../../money.ts';
import { amount as decimal, reason } from '../arguments.ts';
import { waiting, waitingFor } from '../results.ts';
import { reading, tool, type BridgeDeps, type Said } from '../tool.ts';

const changing = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
const policyNow = z.object({ agentId: z.string(), policy: policyReply });

type PolicyChange = { [F in keyof ToldPolicy]?: ToldPolicy[F] | undefined } & { reason?: string | undefined };

const changePolicy = async ({ client }: BridgeDeps, change: PolicyChange): Promise<Said> => {
  const sent = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const { body: before } = await client.ask('getPolicy');
  const isNamed = Object.keys(sent).some((name) => name !== 'reason');
  if (!isNamed) return { text: 'No limit was named: nothing changed.', content: { ...before } };
  const answer = await client.ask('setPolicy', { body: sent });
  if (answer.status === 200) {
    const isSame = isDeepStrictEqual(answer.body.policy, before.policy);
    const text = isSame
      ? 'Nothing changed: this policy was in force already.'
      : 'The policy is changed and in force.';
    return { text, content: { ...answer.body } };
  }
  const content = waitingFor('A looser policy', answer.body);
  return { text: content.message, content };
};

const isHigher = (wished: string | undefined, limit: string): boolean =>
  wished === undefined || (parseUsdc(wished) ?? 0n) > (parseUsdc(limit) ?? 0n);

/** @throws AppError `unauthorized` for another agent, which this bridge's API key can neither stop nor resume */
const own = (agentId: string, deps: BridgeDeps): string => {
  if (agentId === deps.agentId()) return agentId;
  throw new AppError('unauthorized', `This bridge acts for ${deps.agentId()} and for no other agent.`);
};

const argumentOf = (field: FieldEntry, what: string): z.ZodType => {
  const schema = byKind<z.ZodType>(field, {
    amount: () => decimal(what),
    seconds: ({ least }) => z.number().int().min(least),
    count: ({ least }) => z.number().int().min(least),
    services: () => z.array(z.string()),
    choice: ({ options }) => z.enum(Object.keys(options)),
  });
  const optional = (field.mayBeNone === true ? schema.nullable() : schema).optional();
  return field.kind === 'amount' ? optional : optional.describe(what);
};

/** The fields that an agent may name; each is optional. */
const policyArguments = Object.fromEntries(
  fieldEntries.flatMap(([name, field]) =>
    field.tool === undefined ? [] : [[name, argumentOf(field, field.tool)]],
  ),
) as { [F in keyof ToldPolicy]: z.ZodOptional<z.ZodType<ToldPolicy[F]>> };

const setPolicy = tool('set_policy', {
  title: 'Change the spending policy',
  description:
    'Changes this agent’s limits; only what you send changes. Tightening takes effect at once and cannot be undone by you; anything looser becomes a question to the owner and changes nothing until the owner agrees.',
  annotations: changing,
  input: z.object({
    ...policyArguments,
    reason,
  }),
  output: [policyNow, waiting],
  run: (change, deps) => changePolicy(deps, change),
});

const requestBudget = tool('request_budget', {
  title: 'Ask the owner for a higher limit',
  description:
    'Asks the owner for a higher budget for 24 hours, a higher limit for one payment, or both. Nothing changes until the owner agrees; the answer says how to look again. Use it when a payment was refused for a limit and the purchase is worth asking for.',
  annotations: changing,
  input: z.object({
    dailyBudget: decimal('wished budget for 24 hours').optional(),
    maxPerPayment: decimal('wished limit for one payment').optional(),
    reason,
  }),
  output: [waiting],
  async run({ dailyBudget, maxPerPayment, reason: why }, deps) {
    const { policy } = (await deps.client.ask('getPolicy')).body;
    const isRequest =
      (dailyBudget !== undefined || maxPerPayment !== undefined) &&
      isHigher(dailyBudget, policy.dailyBudget) &&
      isHigher(maxPerPayment, policy.maxPerPayment);
    if (!isRequest)
      throw new AppError(
        'bad_request',
        `Name a limit, and only limits higher than those in force: dailyBudget ${policy.dailyBudget}, maxPerPayment ${policy.maxPerPayment}.`,
      );
    return changePolicy(deps, { dailyBudget, maxPerPayment, reason: why });
  },
});

const allocateBudget = tool('allocate_budget', {
  title: 'Ask for USDC from the treasury',
  description:
    'Asks the owner to move USDC from the treasury into this agent’s wallet. For when check_balance shows too little; it changes no limit.',
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
    const params = { agentId: own(agentId ?? deps.agentId(), deps) };
    const body = { amount, ...(why === undefined ? {} : { reason: why }) };
    const sending = { key: deps.newKey(), waitSeconds: 20 };
    const answer = await deps.client.ask('allocate', { params, body }, sending);
    if (answer.status === 200) return { text: `${amount} USDC were moved.`, content: { ...answer.body } };
    const content = waitingFor(`Moving ${amount} USDC`, answer.body);
    return { text: content.message, content };
  },
});

const deployAgent = tool('deploy_agent', {
  title: 'Ask for a new agent',
  description:
    'Asks the owner to create a further agent with a wallet and limits of its own. The owner is shown the new agent’s API key, and puts it into mcpConfig; this tool never returns a key.',
  annotations: changing,
  input: z.object({
    agentId: z.string().describe('letters, digits, dots, underscores and hyphens; never changes'),
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
        env: z.record(z.string(), z.string()).describe('the owner adds TREASURY_API_KEY'),
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
    const place = env['TREASURY_DATA'] === undefined ? {} : { TREASURY_DATA: env['TREASURY_DATA'] };
    const nextSteps = [
      `Wait for the owner: get_approval ${asked.approvalId}.`,
      'The owner, who alone is shown the API key, adds it as TREASURY_API_KEY to mcpConfig.env.',
      `The owner allocates USDC to ${agentId}; then it can pay within its policy.`,
    ];
    const mcpConfig = {
      command: self.command,
      args: [...self.args],
      env: { ...place, TREASURY_OWNER: client.place().owner ?? '', TREASURY_AGENT_ID: agentId },
    };
    return { text: asked.message, content: { ...asked, agentId, mcpConfig, nextSteps } };
  },
});

const ownAgent = z.object({ agentId: z.string().describe('this agent’s own id') });
const statusNow = z.object({ agentId: z.string(), status: z.enum(['active', 'suspended']) });

const killAgent = tool('kill_agent', {
  title: 'Stop this agent’s payments',
  description:
    'Suspends this agent at once: every payment is refused and waiting questions are cancelled; wallet and balance stay. Only the owner can lift it.',
  annotations: { ...changing, destructiveHint: true, idempotentHint: true },
  input: ownAgent,
  output: [statusNow],
  async run({ agentId }, deps) {
    const params = { agentId: own(agentId, deps) };
    const { body } = await deps.client.ask('kill', { params }, { repeatable: true });
    return { text: `${agentId} is ${body.status} and pays nothing.`, content: { ...body } };
  },
});

const resumeAgent = tool('resume_agent', {
  title: 'Ask to resume this agent',
  description: 'Asks the owner to let a suspended agent pay again. Nothing changes until the owner agrees.',
  annotations: changing,
  input: ownAgent.extend({ reason }),
  output: [statusNow, waiting],
  async run({ agentId, reason: why }, deps) {
    const params = { agentId: own(agentId, deps) };
    const body = why === undefined ? {} : { reason: why };
    const answer = await deps.client.ask('resume', { params, body });
    if (answer.status === 200) return { text: `${agentId} is active.`, content: { ...answer.body } };
    const content = waitingFor(`Resuming ${agentId}`, answer.body);
    return { text: content.message, content };
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
      { params: { agentId: own(agentId, deps) }, body: { displayName } },
      { repeatable: true },
    );
    return { text: `${agentId} is now shown as ${body.displayName}.`, content: { ...body } };
  },
});

const getApproval = tool('get_approval', {
  title: 'What did the owner say?',
  description:
    'What became of something that needed the owner’s word: pending, granted (with its result), denied, expired or cancelled. Do not poll it faster than every 30 seconds.',
  annotations: reading,
  input: z.object({ approvalId: z.string() }),
  output: [
    approvalReply
      .pick({ approvalId: true, kind: true, agentId: true, status: true, expiresAt: true, decidedAt: true })
      .extend({ result: z.record(z.string(), z.unknown()).nullable() }),
  ],
  async run({ approvalId }, { client }) {
    const { body } = await client.ask('getApproval', { params: { approvalId } });
    return { text: `The request (${body.kind}) is ${body.status}.`, content: { ...body } };
  },
});

export const requestTools = [
  setPolicy,
  requestBudget,
  allocateBudget,
  deployAgent,
  killAgent,
  resumeAgent,
  renameAgent,
  getApproval,
];
