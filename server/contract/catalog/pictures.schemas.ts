// Image models, their providers, and generation tasks.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import {
  agentId,
  agentPath,
  amount,
  cursor,
  decimal,
  example,
  pageLimit,
  reason,
  secret,
  serviceId,
  shared,
  timestamp,
  url,
} from '../fields.ts';

const taskPath = agentPath.extend({ taskId: shared.taskId });
const resolutions = ['1k', '2k', '4k'] as const;
const taskStatuses = ['queued', 'generating', 'success', 'failed'] as const;
const modelFields = {
  id: z.string(),
  displayName: z.string(),
  provider: z.string(),
  description: z.string(),
  pricing: z.record(z.string(), z.string()).describe('decimal USDC for each resolution'),
  enabled: z.boolean(),
};
const modelSettings = z.object({
  ...modelFields,
  enabled: z.boolean().describe('the owner offers it'),
  usable: z.boolean().describe('its provider has a key, or the sandbox draws instead'),
  shippedPricing: z.record(z.string(), z.string()),
  providerId: z.string(),
});
const pricing = z
  .strictObject({ '1k': amount, '2k': amount, '4k': amount })
  .partial()
  .describe('only sent resolutions change');
export const imageProviderReply = z.object({
  providerId: z.string(),
  name: z.string(),
  hasKey: z.boolean(),
  baseUrl: z.string().nullable().describe('null: the provider’s own'),
  atOnce: z.number().describe('how many pictures it is asked for at the same time'),
  keysUrl: z.string().describe('where its keys are made'),
});
export const taskReply = z.object({
  taskId: shared.taskId,
  status: z.enum(taskStatuses),
  agentId: shared.agentId,
  modelId: z.string(),
  model: z.string(),
  prompt: z.string(),
  resolution: z.enum(resolutions),
  estimatedCost: decimal,
  createdAt: timestamp,
  startedAt: timestamp.nullable(),
  endedAt: timestamp.nullable(),
  paymentId: shared.paymentId.describe('the charge'),
  approvalId: shared.approvalId.optional().describe('the charge waits for the owner'),
  resultUrl: z.string().optional(),
  cost: decimal.optional(),
  currency: z.literal('USDC').optional(),
  image: z
    .object({
      mediaType: z.string(),
      width: z.number(),
      height: z.number(),
      bytes: z.number(),
      sha256: z.string(),
    })
    .optional(),
  failure: z.object({ code: z.string(), message: z.string() }).optional(),
  refund: z
    .object({
      status: z.enum(['owed', 'pending', 'paid']),
      amount: decimal,
      txSignature: shared.txSignature.nullable(),
    })
    .optional()
    .describe('of a failed task that was charged'),
});
const tasksPage = {
  status: z.enum(taskStatuses, { error: `must be one of ${taskStatuses.join(', ')}` }).optional(),
  limit: pageLimit(100, 20),
  before: cursor.optional(),
};
const listed = z.object({ tasks: z.array(taskReply.extend({ cursor: z.number() })) });

export const picturesExchanges = {
  listModels: get(nothing, nothing, z.object({ models: z.array(z.object(modelFields)) })),
  listModelSettings: get(nothing, nothing, z.object({ models: z.array(modelSettings) })),
  setModel: post(
    z.object({ modelId: z.string() }),
    z.strictObject({ enabled: z.boolean({ error: 'must be true or false' }), pricing }).partial(),
    modelSettings,
  ),
  listImageProviders: get(nothing, nothing, z.object({ providers: z.array(imageProviderReply) })),
  setImageProvider: post(
    z.object({ providerId: z.string() }),
    z
      .strictObject({
        apiKey: secret.nullable().describe('null: forget it'),
        baseUrl: url.nullable(),
        atOnce: z
          .number({ error: 'must be a number' })
          .int('must be a whole number')
          .min(1, 'must be from 1 to 16')
          .max(16, 'must be from 1 to 16'),
      })
      .partial(),
    imageProviderReply,
  ),
  generate: post(
    agentPath,
    z.strictObject({
      // Kept as it is: line breaks and joined emoji mean something to an image model.
      prompt: z
        .string({ error: 'must be text' })
        .max(4_000, 'must be at most 4000 characters')
        .refine((text) => text.trim() !== '', 'must not be empty')
        .meta(example('a lighthouse at dusk')),
      modelId: serviceId.meta(example('gpt-image-2')),
      resolution: z.enum(resolutions, { error: `must be one of ${resolutions.join(', ')}` }),
      reason,
    }),
    z.object({
      taskId: shared.taskId,
      status: z.enum(taskStatuses),
      estimatedCost: decimal,
      paymentId: shared.paymentId,
    }),
    z.object({
      taskId: shared.taskId,
      status: z.enum(taskStatuses),
      paymentId: shared.paymentId,
      estimatedCost: decimal,
      approvalId: shared.approvalId.describe('the owner has to allow the charge first'),
      expiresAt: shared.deadline,
    }),
  ),
  listTasks: get(agentPath, z.strictObject(tasksPage), listed),
  getTask: get(taskPath, nothing, taskReply),
  taskImage: get(taskPath, nothing, z.unknown()),
  cancelTask: post(taskPath, nothing, taskReply),
  gallery: get(nothing, z.strictObject({ ...tasksPage, agentId: agentId.optional() }), listed),
  picture: get(
    z.object({ taskId: shared.taskId }),
    z.strictObject({
      size: z.enum(['small', 'whole'], { error: 'must be small or whole' }).default('small'),
    }),
    z.object({ dataUrl: z.string(), width: z.number(), height: z.number() }),
  ),
};
