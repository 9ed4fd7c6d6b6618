// The gallery in a real browser over a real host: pictures as they arrive, as they fail, at full size, and as files.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { goTo, openDashboard, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { createImageServer, type Asked, type ImageServer } from '../harness/image-server.ts';
import { deploy, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { askFor, taskThat } from './painted.ts';

useBrowser();

/** A model of a provider without a key, in whose place the sandbox draws; and one of this test's own server. */
const drawn = 'grok-imagine-image';
const served = 'gpt-image-2.5-flare';

let treasury: Treasury;
let server: ImageServer;
let seen: Seen;
let page: Page;
let pictures: string[];
let agent: TestAgent;
let agents = 0;
beforeAll(async () => {
  treasury = await openServed();
  server = await createImageServer();
  const settings = { apiKey: 'sk-test', baseUrl: server.url, atOnce: 1 };
  await treasury.client.post('/v1/image-providers/openai', settings);
});
afterAll(async () => {
  await treasury.close();
  await server.close();
});
beforeEach(async () => {
  agents += 1;
  agent = await deploy(treasury.client, `painter-${agents}`, { allocate: '5' });
  server.answer = (asked) => asked.succeed();
  await open('/gallery');
});
/** Requests to the provider that it does not answer until a test says so. */
const held: Asked[] = [];
afterEach(async () => {
  for (const asked of held.splice(0)) await asked.succeed();
  await seen.close();
  expect(seen.complaints).toEqual([]);
});

const open = async (path: string, options: Parameters<typeof openDashboard>[2] = {}): Promise<void> => {
  seen = await openDashboard(treasury, '/', options);
  ({ page } = seen);
  pictures = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/picture')) pictures.push(searchParams.get('size') ?? '');
  });
  await goTo(page, path);
};
const card = (prompt: string): Locator =>
  page
    .getByRole('list', { name: 'Pictures, newest first' })
    .getByRole('listitem')
    .filter({ hasText: prompt });
/** Zero until it is drawn. */
const widthOf = (image: Locator): Promise<number> =>
  image.evaluate((one: unknown) => (one as { naturalWidth: number }).naturalWidth);
const isDrawn = async (image: Locator): Promise<boolean> => (await widthOf(image)) > 0;

describe('an empty gallery', () => {
  it('says how an agent has a picture made', async () => {
    await page.getByText('No pictures yet').waitFor();
    await page.getByText('generate_image').waitFor();
  });
});

describe('a picture', () => {
  it('appears without a reload, from queued to done, with its small picture alone', async () => {
    server.answer = (asked) => void held.push(asked);
    await askFor(agent, served, 'the first of two');
    await card('the first of two').getByText('In progress').waitFor();
    await askFor(agent, served, 'the second of two');
    await card('the second of two').getByText('Queued').waitFor();
    await until('the provider to be asked', () => held.length === 1);
    await held.shift()?.succeed();
    await card('the first of two').getByText('Ready').waitFor();
    await until('its picture', () => isDrawn(card('the first of two').locator('img')));
    await card('the second of two').getByText('In progress').waitFor();
    await until('the provider to be asked again', () => held.length === 1);
    await held.shift()?.succeed();
    await card('the second of two').getByText('Ready').waitFor();
    await until('its picture', () => isDrawn(card('the second of two').locator('img')));
    expect(await card('the first of two').innerText()).toMatch(/GPT Image 2\.5 Flare, 1k · 0\.02\sUSDC/);
    expect(pictures).toEqual(['small', 'small']);
  });

  it('of the sandbox’s own painter is shown at full size with its facts, leads to its payment, and is saved unchanged', async () => {
    const prompt = 'a lighthouse\n<img src=x onerror=alert(1)>';
    const taskId = await askFor(agent, drawn, prompt);
    const task = await taskThat(treasury, agent.agentId, taskId, ({ status }) => status === 'success');
    const image = task['image'] as { sha256: string; bytes: number };
    await card('a lighthouse').getByRole('link').click();
    const whole = page.getByRole('img', { name: /a lighthouse/ });
    await until('the whole picture', () => isDrawn(whole));
    expect(await widthOf(whole)).toBe(1024);
    expect(pictures.filter((size) => size === 'whole')).toHaveLength(1);
    for (const text of ['1024 × 1024', image.sha256, 'Grok Imagine, 1k', taskId])
      await page.getByText(text).first().waitFor();

    const started = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as a file' }).click();
    const download = await started;
    expect(download.suggestedFilename()).toBe(`${taskId}.png`);
    expect(hash('sha256', readFileSync(await download.path()))).toBe(image.sha256);

    await page.getByRole('link', { name: 'Its payment' }).click();
    await page.getByRole('heading', { name: 'Picture', exact: true }).waitFor();
    await page.getByText('The agent says').waitFor();
    expect(page.url()).toContain(String(task['paymentId']));
  });

  it('that fails says why, and what happens to its money, without a reload', async () => {
    server.answer = (asked) => asked.refuse(500, 'overloaded');
    const taskId = await askFor(agent, served, 'one that fails');
    await card('one that fails').getByText('Failed').waitFor();
    await card('one that fails').getByText('Paid back: 0.02 USDC.').waitFor();
    expect(await card('one that fails').innerText()).toContain('OpenAI');
    expect(pictures.length).toBeLessThanOrEqual(24);

    await card('one that fails').getByRole('link').click();
    await page.getByText('This picture could not be made').waitFor();
    expect(await page.getByRole('button', { name: 'Save as a file' }).count()).toBe(0);
    expect(page.url()).toContain(taskId);
    await goTo(page, '/activity');
    await page.getByRole('link', { name: 'Refund of GPT Image 2.5 Flare' }).first().click();
    await page.getByRole('heading', { name: 'Refund' }).waitFor();
    await page.getByRole('link', { name: 'This payment' }).click();
    await page.getByRole('heading', { name: 'Picture', exact: true }).waitFor();
  });

  it('whose charge waits for the owner says so, and fails when it is refused', async () => {
    await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, { approveAbove: '0.01' });
    await askFor(agent, drawn, 'one that waits');
    await card('one that waits').getByText('Waiting').waitFor();
    await card('one that waits').getByRole('link').click();
    await page.getByRole('link', { name: 'Decide now' }).click();
    await page.getByText('your treasury').waitFor();
    await page.getByRole('button', { name: 'Deny' }).click();
    await goTo(page, '/gallery');
    await card('one that waits').getByText('Nothing was charged.').waitFor();
  });
});

describe('a spinner', () => {
  it.each([
    ['reduce', 0],
    ['no-preference', 1],
  ] as const)('with the preference “%s” for motion has %i animations', async (reducedMotion, animations) => {
    server.answer = (asked) => void held.push(asked);
    await seen.close();
    await open('/gallery', { reducedMotion });
    await askFor(agent, served, `with ${reducedMotion}`);
    await card(`with ${reducedMotion}`).getByText('In progress').waitFor();
    const turning = await card(`with ${reducedMotion}`)
      .locator('svg')
      .first()
      .evaluate((one: unknown) => (one as { getAnimations(): unknown[] }).getAnimations().length);
    expect(turning).toBe(animations);
    await until('the provider to be asked', () => held.length === 1);
  });
});

describe('a long gallery', () => {
  it('is read page by page, its pictures as they come into view, under filters that stay', async () => {
    const count = 30;
    for (let n = 0; n < count; n += 1) await askFor(agent, drawn, `number ${n} of many`);
    await until('all to be made', async () => {
      const { body } = await treasury.client.get(
        `/v1/tasks?agentId=${agent.agentId}&status=success&limit=100`,
      );
      return body['tasks'].length === count;
    });
    await seen.close();
    await open('/gallery', { viewport: { width: 420, height: 600 } });
    await page.getByLabel('Agent').first().click();
    await page.getByRole('option', { name: agent.agentId, exact: true }).click();
    await card(`number ${count - 1} of many`).waitFor();
    await until('the first picture', () => isDrawn(page.locator('main li img').first()));
    const cards = page.getByRole('list', { name: 'Pictures, newest first' }).getByRole('listitem');
    expect(await cards.count()).toBe(24);
    expect(pictures.length).toBeLessThan(12);
    await page.getByRole('button', { name: 'Show more' }).click();
    await until('the next page', async () => (await cards.count()) === count);
    await card('number 0 of many').scrollIntoViewIfNeeded();
    await until('the last picture', () => isDrawn(card('number 0 of many').locator('img')));
    expect(pictures.every((size) => size === 'small')).toBe(true);

    await page.getByLabel('State').first().click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.getByText('No such pictures').waitFor();
    await page.reload();
    await page.getByText('No such pictures').waitFor();
    expect(page.url()).toContain(`agent=${agent.agentId}&status=failed`);
    await page.locator('button[aria-label="Every state"]').click();
    await card(`number ${count - 1} of many`).waitFor();

    await page.getByLabel('State').first().click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.getByRole('button', { name: 'Show all pictures' }).click();
    await card(`number ${count - 1} of many`).waitFor();
    expect(page.url()).not.toContain('agent=');
  });
});
