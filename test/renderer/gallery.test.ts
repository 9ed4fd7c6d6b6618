// The gallery: pictures as they arrive and as they fail, read page by page under filters; and one whole, as a file.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../../server/contract/schemas.ts';
import { goTo, openDashboard, openServed } from '../harness/browser.ts';
import { createImageServer } from '../harness/programs/image-server.ts';
import { deploy, until } from '../harness/treasury.ts';
import { useFakeOwner } from './fake-owner.ts';
import type { Partly } from './filled.ts';
import { askFor, taskThat } from './painted.ts';

const fake = useFakeOwner();

type Task = Partly<Reply<'gallery'>['tasks'][number]>;
const small = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>')}`;
const task = (taskId: string, more: Task = {}): Task => ({
  taskId,
  prompt: `picture ${taskId}`,
  agentId: 'painter',
  model: 'GPT Image',
  resolution: '1k',
  ...more,
});
const ready = {
  status: 'success',
  cost: '0.02',
  image: { mediaType: 'image/png', width: 8, height: 8, bytes: 10, sha256: 'a'.repeat(64) },
} as const;
const event = { type: 'task', data: task('any') as Reply<'getTask'> } as const;
const dashboard = { agents: [{ agentId: 'painter', displayName: 'painter' }] };
const show = (tasks: Task[], path = '/gallery') =>
  fake.show(path, {
    dashboard,
    listAgents: dashboard,
    picture: { dataUrl: small, width: 8, height: 8 },
    gallery: { tasks },
    getTask: ({ params }) => tasks.find(({ taskId }) => taskId === params?.taskId) ?? {},
  });
const cards = (): Locator =>
  fake.page.getByRole('list', { name: 'Pictures, newest first' }).getByRole('listitem');
const card = (taskId: string): Locator => cards().filter({ hasText: `picture ${taskId}` });
/** Zero until it is drawn. */
const widthOf = (image: Locator): Promise<number> =>
  image.evaluate((one: unknown) => (one as { naturalWidth: number }).naturalWidth);
const isDrawn = async (image: Locator): Promise<boolean> => (await widthOf(image)) > 0;

describe('a picture', () => {
  it('that is the first says before how an agent has one made', async () => {
    await show([]);
    await fake.page.getByText('No pictures yet').waitFor();
    await fake.page.getByText('generate_image').waitFor();
  });

  it('appears without a reload, from queued to done, with its small picture alone', async () => {
    await show([]);
    for (const [status, said] of [
      ['queued', 'Queued'],
      ['generating', 'In progress'],
    ] as const) {
      await fake.answer({ gallery: { tasks: [task('one', { status })] } }, event);
      await card('one').getByText(said).waitFor();
    }
    await fake.answer({ gallery: { tasks: [task('one', ready)] } }, event);
    await until('its picture', () => isDrawn(card('one').locator('img')));
    expect(await card('one').innerText()).toMatch(/GPT Image, 1k · 0\.02\sUSDC/);
    expect(await card('one').getByText('In progress').count()).toBe(0);
    expect(fake.askedOf('picture')).toEqual([{ taskId: 'one', size: 'small' }]);
  });

  it('that fails says why, and what happens to its money', async () => {
    const failure = { code: 'generation_failed', message: 'OpenAI answered 500.' };
    const refund = { status: 'paid', amount: '0.02' } as const;
    await show([task('one', { status: 'failed', cost: '0.02', failure, refund })]);
    await card('one').getByText('Failed').waitFor();
    await card('one').getByText('0.02 USDC refunded.').waitFor();
    expect(await card('one').innerText()).toContain('OpenAI');
    expect(await card('one').innerText()).toMatch(/GPT Image, 1k · 0\.00\sUSDC/);
    expect(fake.askedOf('picture')).toEqual([]);
    await card('one').getByRole('link').click();
    await fake.page.getByRole('heading', { name: 'picture one' }).waitFor();
    await fake.page.getByText('This picture could not be made').waitFor();
    await fake.page.getByText('(0.02 refunded)').waitFor();
    expect(await fake.page.getByRole('button', { name: 'Download' }).count()).toBe(0);
  });

  it('that was paid back leads from its refund to its charge', async () => {
    const charge = { id: 'chg_1', kind: 'charge' } as const;
    const refund = { id: 'rfd_1', kind: 'refund', invoice: 'chg_1' } as const;
    await fake.show('/activity/rfd_1', {
      getTransfer: ({ params }) => (params?.transferId === 'rfd_1' ? refund : charge),
    });
    await fake.page.getByText('Refund', { exact: true }).waitFor();
    await fake.page.getByRole('link', { name: 'This payment' }).click();
    await fake.page.getByText('Picture', { exact: true }).waitFor();
  });

  it('whose charge waits for the owner says so, and leads there; denied, it charged nothing', async () => {
    const waits = task('one', { status: 'queued', approvalId: 'apr_1' });
    await show([waits]);
    await card('one').getByText('Waiting').waitFor();
    await card('one').getByRole('link').click();
    await fake.page.getByRole('link', { name: 'Decide now' }).click();
    await fake.page.getByRole('heading', { name: 'Approvals', exact: true }).waitFor();
    const failure = { code: 'approval_denied', message: 'It was declined.' };
    await show([task('one', { status: 'failed', failure })]);
    await card('one').getByText('Nothing was charged.').waitFor();
  });

  it.each([
    ['reduce', 0],
    ['no-preference', 1],
  ] as const)(
    'under way, with the preference “%s” for motion, has %i animations',
    async (reducedMotion, animations) => {
      await fake.page.emulateMedia({ reducedMotion });
      await show([task('one', { status: 'generating' })]);
      const turning = await card('one')
        .locator('svg')
        .first()
        .evaluate((one: unknown) => (one as { getAnimations(): unknown[] }).getAnimations().length);
      expect(turning).toBe(animations);
      await fake.page.emulateMedia({ reducedMotion: 'reduce' });
    },
  );
});

describe('a long gallery', () => {
  it('is read page by page, its pictures as they come into view, under filters that stay', async () => {
    const all = Array.from({ length: 30 }, (_, n) => task(`${n}.`, { ...ready, cursor: 30 - n }));
    await fake.page.setViewportSize({ width: 420, height: 600 });
    await show([]);
    await fake.answer({
      picture: { dataUrl: small, width: 8, height: 8 },
      gallery({ query: { agentId, status, before } = {} }) {
        if (agentId === undefined) return { tasks: all.slice(0, 1) };
        if (status === 'failed') return { tasks: [] };
        return { tasks: before === undefined ? all.slice(0, 24) : all.slice(24) };
      },
    });
    await fake.answer({}, event);
    await fake.page.getByLabel('Agent').first().click();
    await fake.page.getByRole('option', { name: 'painter', exact: true }).click();
    await card('1.').first().waitFor();
    await until('the first picture', () => isDrawn(cards().locator('img').first()));
    expect(await cards().count()).toBe(24);
    expect(fake.askedOf('picture').length).toBeLessThan(12);
    await fake.page.getByRole('button', { name: 'Show more' }).click();
    await until('the next page', async () => (await cards().count()) === 30);
    await card('29.').scrollIntoViewIfNeeded();
    await until('the last picture', () => isDrawn(card('29.').locator('img')));
    expect(fake.askedOf('picture')).toContainEqual({ taskId: '29.', size: 'small' });

    const onlyFailed = async (): Promise<void> => {
      await fake.page.getByLabel('State').first().click();
      await fake.page.getByRole('option', { name: 'Failed' }).click();
      await fake.page.getByText('No matching pictures').waitFor();
    };
    await onlyFailed();
    await fake.page.reload();
    await fake.page.getByText('No matching pictures').waitFor();
    expect(fake.page.url()).toContain('agent=painter&status=failed');
    await fake.page.locator('button[aria-label="All states"]').click();
    await card('1.').first().waitFor();
    await onlyFailed();
    await fake.page.getByRole('button', { name: 'Show all pictures' }).click();
    await card('0.').waitFor();
    expect(fake.page.url()).not.toContain('agent=');
    await fake.page.setViewportSize({ width: 1280, height: 860 });
  });
});

describe('a picture that was paid back', () => {
  it('is no payment in the catalog, in the activity and among the pictures', async () => {
    const treasury = await openServed();
    const server = await createImageServer();
    const { client } = treasury;
    await client.post('/v1/image-providers/openai', { apiKey: 'sk-test-0000', baseUrl: server.url });
    const agent = await deploy(client, 'painter', { allocate: '5' });
    const modelId = 'gpt-image-2.5-flare';
    for (const [prompt, ending] of [
      ['one', 'success'],
      ['two', 'failed'],
      ['three', 'success'],
    ] as const) {
      server.answer = (asked) => (ending === 'failed' ? asked.refuse(500, 'overloaded') : asked.succeed());
      const taskId = await askFor(agent, modelId, prompt);
      await taskThat(
        treasury,
        'painter',
        taskId,
        ({ status, refund }) => status === ending && (ending === 'success' || refund?.status === 'paid'),
      );
    }
    const { page, complaints, close } = await openDashboard(treasury, '/catalog');
    const row = page
      .getByRole('list', { name: 'Services' })
      .getByRole('listitem', { name: 'GPT Image 2.5 Flare' });
    await row.getByText('2 paid · 1 refunded').waitFor();
    await row.getByRole('link').click();
    await page.getByText('in 2 payments').waitFor();
    await page.getByRole('link', { name: 'See in Activity' }).click();
    const totals = page.getByRole('group', { name: 'Totals' });
    await totals.getByText(/2 payments, .* after refunds/).waitFor();
    await goTo(page, '/gallery');
    const pictures = page.getByRole('list', { name: 'Pictures, newest first' }).getByRole('listitem');
    await pictures.nth(2).waitFor();
    expect(await pictures.filter({ hasNotText: 'refunded.' }).count()).toBe(2);
    expect(await pictures.filter({ hasText: 'refunded.' }).innerText()).toMatch(/0\.00\sUSDC/);
    await close();
    await treasury.close();
    await server.close();
    expect(complaints).toEqual([]);
  });
});

describe('a picture of the sandbox’s own painter', () => {
  it('is shown at full size with its facts, leads to its payment, and is saved unchanged', async () => {
    const treasury = await openServed();
    const agent = await deploy(treasury.client, 'painter', { allocate: '5' });
    const taskId = await askFor(agent, 'grok-imagine-image', 'a lighthouse\n<img src=x onerror=alert(1)>');
    const made = await taskThat(treasury, 'painter', taskId, ({ status }) => status === 'success');
    const image = made['image'] as { sha256: string; bytes: number };
    const { page, complaints, close } = await openDashboard(treasury, '/gallery');
    await page.getByRole('link', { name: /a lighthouse/ }).click();
    const whole = page.getByRole('img', { name: /a lighthouse/ });
    await until('the whole picture', () => isDrawn(whole));
    expect(await widthOf(whole)).toBe(1024);
    for (const text of ['1024 × 1024', image.sha256, 'Grok Imagine, 1k', taskId])
      await page.getByText(text).first().waitFor();
    const started = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const download = await started;
    expect(download.suggestedFilename()).toBe(`${taskId}.png`);
    expect(hash('sha256', readFileSync(await download.path()))).toBe(image.sha256);
    await page.getByRole('link', { name: 'View payment' }).click();
    await page.getByText('The agent says').waitFor();
    expect(page.url()).toContain(String(made['paymentId']));
    await close();
    await treasury.close();
    expect(complaints).toEqual([]);
  });
});
