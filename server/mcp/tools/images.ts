// Making pictures, and looking up their tasks.
import { z } from 'zod';
import type { AgentClient } from '../../client/agent-client.ts';
import type { Reply } from '../../contract/schemas.ts';
import { reason, waitSeconds } from '../arguments.ts';
import { waiting, waitingFor } from '../results.ts';
import { stoppedMeanwhile } from '../stops.ts';
import { reading, tool, type BridgeDeps, type Said } from '../tool.ts';

const task = z.object({
  taskId: z.string(),
  status: z.enum(['queued', 'generating', 'success', 'failed']),
  modelId: z.string(),
  resolution: z.string(),
  estimatedCost: z.string(),
  cost: z.string().optional(),
  currency: z.string().optional(),
  resultUrl: z.string().optional(),
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
  refund: z.object({ status: z.string(), amount: z.string(), txSignature: z.string().nullable() }).optional(),
});

/** Base64 adds a third, and a model has to read it. */
const mostBytesWhole = 512 * 1024;

const sentenceOf = (found: Reply<'getTask'>): string => {
  switch (found.status) {
    case 'success':
      return `The picture is made, ${found.image?.width} x ${found.image?.height}, for ${found.cost} USDC.`;
    case 'failed':
      // A failure's message is the provider's: untrusted text, quoted in the frame alone.
      return `It failed.${
        found.refund === undefined ? '' : ` Refund of ${found.refund.amount} USDC: ${found.refund.status}.`
      }`;
    case 'queued':
    case 'generating':
      return `It is ${found.status}. Wait for it with get_task "${found.taskId}" and waitSeconds; do not ask for another.`;
  }
};

const pictureOf = async (client: AgentClient, found: Reply<'getTask'>): Promise<Pick<Said, 'image'>> => {
  const { image, taskId } = found;
  if (image === undefined) return {};
  const size = image.bytes <= mostBytesWhole ? 'whole' : 'small';
  const { body } = await client.ask('picture', { params: { taskId }, query: { size } });
  const [, mimeType, data] = /^data:([^;]+);base64,(.*)$/.exec(body.dataUrl) ?? [];
  return mimeType === undefined || data === undefined ? {} : { image: { data, mimeType } };
};

const told = async (client: AgentClient, found: Reply<'getTask'>): Promise<Said> => {
  const isFailed = found.status === 'failed';
  return {
    text: sentenceOf(found),
    content: { ...found },
    ...(isFailed ? { foreign: 'what is known of it, with what the provider may have said' } : {}),
    ...(await pictureOf(client, found)),
  };
};

const generateImage = tool('generate_image', {
  title: 'Make a picture',
  description:
    'Has an image model make a picture from a text and charges this agent’s wallet, within its policy. See list_models for models and prices. A picture that takes longer is fetched with get_task. A failed one is refunded.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  input: z.object({
    prompt: z.string().describe('what the picture shows, at most 4000 characters'),
    modelId: z.string().describe('see list_models'),
    resolution: z.enum(['1k', '2k', '4k']).default('1k'),
    reason,
    waitSeconds: waitSeconds('the picture'),
  }),
  output: [task, waiting],
  async run({ reason: why, waitSeconds: wished, ...request }, deps, signal) {
    const body = { ...request, ...(why === undefined ? {} : { reason: why }) };
    const answer = await deps.buyer.buy('generate', body, { signal });
    const { taskId, paymentId } = answer.body;
    if (answer.status === 202)
      return { ...waitingFor(`This picture (task ${taskId})`, answer.body), received: paymentId };
    const said = await whenDone(deps, taskId, { waitMs: wished * 1_000, signal });
    return { ...said, received: paymentId };
  },
});

const whenDone = async (
  { client, agentId, news }: BridgeDeps,
  taskId: string,
  over: { waitMs: number; signal: AbortSignal },
): Promise<Said> => {
  const { found, stop } = await news.until(
    () => client.ask('getTask', { params: { agentId: agentId(), taskId } }),
    ({ body: { status } }) => status === 'success' || status === 'failed',
    { concerns: ({ type, data }) => type === 'task' && data.taskId === taskId, ...over },
  );
  const said = await told(client, found.body);
  return { ...said, text: said.text + stoppedMeanwhile(stop) };
};

const getTask = tool('get_task', {
  title: 'Check a picture task',
  description: 'The state of a picture asked for with generate_image, and the picture once it is made.',
  annotations: reading,
  input: z.object({ taskId: z.string(), waitSeconds: waitSeconds('the picture', 0) }),
  output: [task],
  run: ({ taskId, waitSeconds: wished }, deps, signal) =>
    whenDone(deps, taskId, { waitMs: wished * 1_000, signal }),
});

export const imageTools = [generateImage, getTask];
