// Pictures in every state, for tests and for screenshots of the gallery: made by the sandbox itself, failed and
// refunded, and held by a provider that does not answer until it is told to.
import { createImageServer, type Asked } from '../harness/programs/image-server.ts';
import { until, type TestAgent, type Treasury } from '../harness/treasury.ts';

/** Requests a picture, as an agent. */
export const askFor = async (
  { agentId, client }: TestAgent,
  modelId: string,
  prompt: string,
  resolution = '1k',
): Promise<string> => {
  const { body, text } = await client.post(`/v1/agents/${agentId}/generate`, { modelId, prompt, resolution });
  if (body['taskId'] === undefined) throw new Error(text);
  return String(body['taskId']);
};

/** Waits until a task is as it should be. */
export const taskThat = (
  { client }: Pick<Treasury, 'client'>,
  agentId: string,
  taskId: string,
  is: (task: Record<string, unknown> & { refund?: { status: string } }) => boolean,
): Promise<Record<string, unknown>> =>
  until(`task ${taskId}`, async () => {
    const { body } = await client.get(`/v1/agents/${agentId}/tasks/${taskId}`);
    return is(body) && body;
  });

export interface Painted {
  made: string;
  failed: string;
  generating: string;
  queued: string;
  close(): Promise<void>;
}

const prompts = [
  ['flux-2-pro', 'A lighthouse on a cliff in the evening, seen from the sea'],
  ['gemini-nano-banana-2.1', 'A map of Lisbon’s tram lines as a children’s book would draw it'],
  ['seedream-5.0-pro', 'The cover of a travel guide to Porto: azulejos, a bridge, three words of title'],
  ['flux-2-max', 'An espresso cup from above, on marble'],
] as const;

/** Made by the sandbox's own painter, except for the models of OpenAI, for which a server on this machine stands in. */
export const paint = async (treasury: Treasury, one: TestAgent, other: TestAgent): Promise<Painted> => {
  const { client } = treasury;
  const made: string[] = [];
  for (const [modelId, prompt] of prompts) made.push(await askFor(one, modelId, prompt));
  for (const taskId of made)
    await taskThat(treasury, one.agentId, taskId, ({ status }) => status === 'success');

  const server = await createImageServer();
  const held: Asked[] = [];
  server.answer = (asked) => asked.refuse(500, 'overloaded');
  const reached = { apiKey: 'sk-test-0000', baseUrl: server.url, atOnce: 1 };
  await client.post('/v1/image-providers/openai', reached);
  const failed = await askFor(one, 'gpt-image-2.5-flare', 'A logo for a bakery that only opens at night');
  await taskThat(treasury, one.agentId, failed, ({ refund }) => refund?.status === 'paid');
  server.answer = (asked) => void held.push(asked);
  const generating = await askFor(other, 'gpt-image-2.5-flare', 'Rain over a harbour, in watercolour');
  const queued = await askFor(one, 'gpt-image-2.5-flare', 'The same harbour in snow');
  await taskThat(treasury, other.agentId, generating, ({ status }) => status === 'generating');
  return { made: made[0] ?? '', failed, generating, queued, close: server.close };
};
