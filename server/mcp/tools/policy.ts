// Changes to an agent's limits. Tightening takes effect at once; anything looser becomes a request to the owner.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { fieldEntries, type FieldEntry, type StatedPolicy } from '../../contract/limits/policy-fields.ts';
import { policyReply, unknownServices } from '../../contract/limits/policy.schemas.ts';
import { unknownServicesSentence } from '../../contract/limits/service-limits.ts';
import { AppError } from '../../errors.ts';
import { parseUsdc } from '../../money.ts';
import { amount as decimal, reason } from '../arguments.ts';
import { waiting, waitingFor } from '../results.ts';
import { changing, tool, type BridgeDeps, type Said } from '../tool.ts';

const policyNow = z.object({ agentId: z.string(), policy: policyReply, unknownServices });

type PolicyChange = { [F in keyof StatedPolicy]?: StatedPolicy[F] | undefined } & {
  reason?: string | undefined;
};

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
    const summary = [text, ...unknownServicesSentence(answer.body.unknownServices)].join(' ');
    return { text: summary, content: { ...answer.body } };
  }
  return waitingFor('A looser policy', answer.body);
};

const isHigher = (wanted: string | undefined, limit: string): boolean =>
  wanted === undefined || (parseUsdc(wanted) ?? 0n) > (parseUsdc(limit) ?? 0n);

type Argument = Exclude<FieldEntry, { tool?: never }>;

const schemaOf = (field: Argument, what: string): z.ZodType => {
  switch (field.kind) {
    case 'amount':
      return decimal(what);
    case 'seconds':
    case 'count':
      return z.number().int().min(field.least);
    case 'services':
      return z.array(z.string());
    case 'choice':
      return z.enum(Object.keys(field.options));
  }
};

const argumentOf = (field: Argument, what: string): z.ZodType => {
  const schema = schemaOf(field, what);
  const optional = (field.mayBeNone === true ? schema.nullable() : schema).optional();
  return field.kind === 'amount' ? optional : optional.describe(what);
};

/** The fields that an agent may name; each is optional. */
const policyArguments = Object.fromEntries(
  fieldEntries.flatMap(([name, field]) =>
    field.tool === undefined ? [] : [[name, argumentOf(field, field.tool)]],
  ),
) as { [F in keyof StatedPolicy]: z.ZodOptional<z.ZodType<StatedPolicy[F]>> };

const setPolicy = tool('set_policy', {
  title: 'Change the spending policy',
  description:
    'Changes this agent’s limits; only what you send changes. Tightening takes effect at once, and you cannot undo it; for anything looser the owner is asked, and nothing changes until the owner agrees.',
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
    'Asks the owner for a higher budget for 24 hours, a higher limit for one payment, or both. Nothing changes until the owner agrees. For when a limit refused a payment that is worth asking for.',
  annotations: changing,
  input: z.object({
    dailyBudget: decimal('the budget for 24 hours to ask for').optional(),
    maxPerPayment: decimal('the limit for one payment to ask for').optional(),
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

export const policyTools = [setPolicy, requestBudget];
