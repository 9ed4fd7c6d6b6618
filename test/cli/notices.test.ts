// Notices in a terminal: a channel is added, tried and removed, and what was told is listed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { openEndpoint, type Endpoint } from '../notices/endpoint.ts';
import { until } from '../harness/treasury.ts';
import { command, treasury, useTreasury } from './cli-treasury.ts';

useTreasury();

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await openEndpoint();
});
afterAll(() => endpoint.close());

const json = async (line: string[]) => JSON.parse((await command([...line, '--json'])).stdout);

describe('treasury notices', () => {
  it('says how to begin', async () => {
    expect((await command('notices')).stdout).toBe(
      'You are told nothing. Add a channel: treasury notices add --help\nA wallet is low below: 1.00\n',
    );
    expect((await command('notices history')).stdout).toBe('No notice was sent yet.\n');
  });

  it('adds a webhook with a secret that is shown once and verifies what comes', async () => {
    const added = await command([
      'notices',
      'add',
      'webhook',
      endpoint.url,
      '--allow-private',
      '--kinds',
      'frozen,halted',
    ]);
    const [, secret = ''] = /only now: (whsec_\S+)/.exec(added.stdout) ?? [];
    const { channels } = await json(['notices']);
    const [{ channelId }] = channels;
    expect(JSON.stringify(channels)).not.toContain(secret);
    expect((await command('notices')).stdout).toMatch(/Webhook +Webhook +http:\/\/127\S+ +frozen, halted/);
    expect((await command(`notices test ${channelId}`)).stdout).toBe('Delivered. HTTP 200\n');
    const [received] = endpoint.received;
    const headers = received?.headers as Record<string, string>;
    expect(new Webhook(secret).verify(received?.body ?? '', headers)).toMatchObject({
      type: 'treasury.test',
    });
    endpoint.status = 500;
    expect(await command(`notices test ${channelId}`)).toMatchObject({
      code: 1,
      stdout: 'Not delivered. HTTP 500\n',
      stderr: 'The test notice was not delivered.\n',
    });
  });

  it('lists what was told and what failed, and tries it again', async () => {
    endpoint.status = 404;
    await treasury.client.post('/v1/freeze', { reason: 'a test' });
    await treasury.client.post('/v1/unfreeze');
    const failed = await until('the failure', async () => {
      const { notices } = await json(['notices', 'history', '--failed']);
      return notices.length > 0 && notices;
    });
    expect((await command('notices history --failed')).stdout).toMatch(
      /Frozen +The treasury is frozen +Webhook: failed, HTTP 404/,
    );
    endpoint.status = 200;
    await command(`notices retry ${failed[0].noticeId}`);
    await until('the delivery', async () =>
      (await command('notices history')).stdout.includes('Webhook: delivered'),
    );
    expect(await command('notices retry ntc_none')).toMatchObject({ code: 1 });
  });

  it('removes a channel once its owner has said yes', async () => {
    const [{ channelId }] = (await json(['notices'])).channels;
    expect(await command(`notices remove ${channelId}`)).toMatchObject({ code: 3 });
    expect((await command(`notices remove ${channelId}`, { typed: ['y'] })).stdout).toContain('Removed.');
    expect((await json(['notices'])).channels).toEqual([]);
  });

  it('sets when a wallet is low', async () => {
    expect((await command('notices low-balance 2.5')).stdout).toBe('A wallet is low below: 2.50\n');
    expect((await command('notices low-balance never --agent scout')).stdout).toContain('  scout: never\n');
    expect(await command('notices low-balance lots')).toMatchObject({ code: 2 });
    expect((await command('notices low-balance common --agent scout')).stdout).not.toContain('scout');
  });

  it.each([
    ['add webhook', 'The place of a channel of kind webhook is a URL.'],
    ['add desktop here', 'The place of a channel of kind desktop is this desktop: leave it out.'],
    ['add email me@example.com --kinds all', 'There is no kind all.'],
    ['add webhook http://hooks.example.com', 'url: must be https, unless you allow private addresses.'],
  ])('refuses %s, and says why', async (line, why) => {
    const { code, stderr } = await command(`notices ${line}`);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(why)]);
  });
});
