// Pictures through the bridge: requested, waited for, and shown.
import { afterAll, beforeAll, expect, it } from 'vitest';
import sharp from 'sharp';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { createImageServer, type ImageServer } from '../harness/image-server.ts';
import { envOf, openBridge, type Bridge } from './bridge.ts';

let treasury: Treasury;
let provider: ImageServer;
let agent: TestAgent;
let bridge: Bridge;
beforeAll(async () => {
  treasury = await openTreasury();
  provider = await createImageServer();
  agent = await deploy(treasury.client, 'painter');
  bridge = await openBridge(envOf(agent, treasury));
});
afterAll(async () => {
  await bridge.close();
  await treasury.close();
  await provider.close();
});

const models = async () => (await bridge.call('list_models')).content['models'];
const balance = async (): Promise<string> => (await bridge.call('check_balance')).content['balance'];

it('finds models with their prices, without the owner’s settings', async () => {
  const [first] = await models();
  expect(Object.keys(first).toSorted()).toEqual(['description', 'displayName', 'id', 'pricing', 'provider']);
  expect(first.pricing['1k']).toMatch(/^\$0\.\d+$/);
  const found = await bridge.call('find_service', { query: 'image generation' });
  const model = found.content['results'].find(({ id }: { id: string }) => id === first.id);
  expect(model).toMatchObject({ pricing: first.pricing, how: expect.stringContaining('generate_image') });
});

it('returns the picture itself, scaled down for a model, beside its address', async () => {
  const [{ id: modelId }] = await models();
  const made = await bridge.call('generate_image', { prompt: 'a lighthouse', modelId });
  expect(made.isError).toBe(false);
  expect(made.content).toMatchObject({ status: 'success', currency: 'USDC', image: { width: 1024 } });
  const [picture] = made.images;
  const bytes = Buffer.from(picture?.data ?? '', 'base64');
  expect(await sharp(bytes).metadata()).toMatchObject({ format: picture?.mimeType.replace('image/', '') });
  expect(bytes.byteLength).toBeLessThanOrEqual(512 * 1024);
  const again = await bridge.call('get_task', { taskId: made.content['taskId'] });
  expect(again.content).toMatchObject({ status: 'success' });
  expect(again.images).toEqual(made.images);
  const read = (key?: string) =>
    fetch(
      made.content['resultUrl'],
      key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } },
    );
  expect((await read(agent.key)).status).toBe(200);
  expect((await read()).status).toBe(401);
});

it('makes as many pictures as requested at once with the same prompt', async () => {
  const [{ id: modelId }] = await models();
  const ask = () => bridge.call('generate_image', { prompt: 'a pier', modelId });
  const made = await Promise.all([ask(), ask(), ask(), ask()]);
  expect(made.map(({ isError }) => isError)).toEqual([false, false, false, false]);
  expect(new Set(made.map(({ content }) => content['taskId'])).size).toBe(4);
});

it('says what failed, and that it is refunded', async () => {
  await treasury.client.post('/v1/image-providers/openai', { apiKey: 'sk-test', baseUrl: provider.url });
  provider.answer = (asked) => asked.refuse(400, 'no');
  const { models: all } = (await treasury.client.get('/v1/models/settings')).body;
  const { id: modelId } = all.find(({ providerId }: { providerId: string }) => providerId === 'openai');
  const before = await balance();
  const failed = await bridge.call('generate_image', { prompt: 'x', modelId });
  expect(failed.content).toMatchObject({
    status: 'failed',
    refund: { amount: failed.content['estimatedCost'] },
  });
  expect(failed.text).toContain('It failed');
  await until('the refund', async () => (await balance()) === before);
  expect(provider.asked).toHaveLength(1);
});

it('does not wait for the owner', async () => {
  await treasury.client.post('/v1/agents/painter/policy', { approveAbove: '0' });
  const [{ id: modelId }] = await models();
  const asked = await bridge.call('generate_image', { prompt: 'x', modelId });
  expect(asked.content).toMatchObject({ status: 'awaiting_approval', approvalId: expect.any(String) });
});

it.each([{ prompt: '' }, { modelId: 'none' }, { resolution: '8k' }])(
  'names the fault of %j',
  async (wrong) => {
    const [{ id: modelId }] = await models();
    const refused = await bridge.call('generate_image', { prompt: 'x', modelId, ...wrong }).catch(String);
    if (typeof refused === 'string') expect(refused).toContain(Object.keys(wrong)[0]);
    else
      expect(refused).toMatchObject({
        isError: true,
        text: expect.stringContaining(Object.keys(wrong)[0] ?? ''),
      });
  },
);
