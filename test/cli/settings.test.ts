// What the owner sets once, in a terminal: notices, the public address, sources of the catalog, a cold wallet, and the
// passphrase of the vault.
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createColdWallet } from '../harness/chain/cold-wallet.ts';
import { instantly, until } from '../harness/treasury.ts';
import { hidesKeychain, openWithPassphrase, passphrase, type WithPassphrase } from '../host/support.ts';
import { type Endpoint, openEndpoint } from '../notices/endpoint.ts';
import { type Facilitator, startFacilitator, v2Item } from '../x402/facilitator.ts';
import { command, treasury, useTreasury } from './cli-treasury.ts';
import { run, type Ended, type Setting } from './terminal.ts';

let endpoint: Endpoint;
let facilitator: Facilitator;
beforeAll(async () => {
  endpoint = await openEndpoint();
  facilitator = await startFacilitator([v2Item('one'), v2Item('two')]);
});
useTreasury(() => ({ args: [...instantly, '--allow-origin', facilitator.origin] }));
afterAll(async () => {
  await endpoint.close();
  await facilitator.close();
});

const json = async (line: string[]) => JSON.parse((await command([...line, '--json'])).stdout);

describe('treasury notices', () => {
  it('says how to begin', async () => {
    expect((await command('notices')).stdout).toBe(
      'No channels yet. Add one: treasury notices add --help\nA wallet is low below: 1.00\n',
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
      /Frozen +The treasury is frozen +Webhook: not delivered, HTTP 404/,
    );
    endpoint.status = 200;
    expect((await command('notices')).stdout).toContain('failed (HTTP 404).');
    await command(`notices retry ${failed[0].deliveries[0].channelId}`);
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

const addressSet = async (): Promise<unknown> => (await treasury.client.get('/v1/public-address')).body;

describe('treasury public-address', () => {
  const url = 'https://treasury.example.ts.net';
  const none =
    'Other machines do not reach this treasury. Set an address: treasury public-address https://HOST\n';
  const linking = `Link another machine: treasury link --url ${url}\n`;

  it('is none at first', async () => {
    expect(await command('public-address')).toMatchObject({ code: 0, stdout: none });
  });

  it('is set as the treasury writes it, with what to type on the other machine, and read back', async () => {
    const told = `${url}\n${linking}You cannot sign in there as the owner.\n`;
    expect((await command(`public-address ${url.toUpperCase()}/`)).stdout).toBe(told);
    expect((await command('public-address')).stdout).toBe(told);
    expect((await command('public-address --json')).json).toEqual(await addressSet());
  });

  it('lets the owner in there with the switch alone, and says what that means', async () => {
    expect((await command('public-address --owner-sessions on')).stdout).toBe(
      `${url}\n${linking}You may sign in there as the owner. Your tunnel’s operator can see that traffic, if it decrypts it.\n`,
    );
    expect(await addressSet()).toMatchObject({ url, ownerSessions: true });
    await command('public-address --owner-sessions off');
    expect(await addressSet()).toMatchObject({ url, ownerSessions: false });
  });

  it.each([
    ['http://treasury.example.ts.net', 'url: must be https://'],
    ['https://127.0.0.1', 'url: must be https://'],
    ['https://treasury.example.ts.net/path', 'url: must be https://'],
    ['example', 'url: must be https://'],
  ])('refuses %s, and keeps the address that was set', async (wrong, message) => {
    const { code, stderr } = await command(`public-address ${wrong}`);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
    expect(await addressSet()).toMatchObject({ url });
  });

  it('is removed with off, and the switch goes with it', async () => {
    await command(`public-address ${url} --owner-sessions on`);
    expect((await command('public-address off')).stdout).toBe(none);
    expect(await addressSet()).toMatchObject({ url: null, ownerSessions: false });
    const { code, stderr } = await command('public-address --owner-sessions on');
    expect([code, stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining('ownerSessions: needs a public address'),
    ]);
  });
});

describe('treasury catalog', () => {
  it('adds a source, shows how far it is, reads it again and removes it after asking', async () => {
    expect((await command(['catalog', 'sources'])).stdout).toBe('No source is imported.\n');
    const added = await command(['catalog', 'add', facilitator.url, '--name', 'Ours']);
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toMatch(/^The list of Ours \(src_\w+\) is being read\./);
    let listed: Ended | undefined;
    await until('the import', async () => {
      listed = await command(['catalog', 'sources', '--json']);
      return listed.json.sources[0].lastRunAt !== null;
    });
    const [source] = listed?.json.sources ?? [];
    expect(source).toMatchObject({ name: 'Ours', url: facilitator.url, added: 2, done: 2, total: 2 });
    const { stdout } = await command(['catalog', 'sources']);
    expect(stdout).toMatch(/^SOURCE +NAME +STATE +READ +ADDED +CHANGED +GONE +NEXT +URL\n/);
    expect(stdout).toMatch(/ Ours +idle +2\/2 +2 +0 +0 /);

    facilitator.list([v2Item('one')]);
    expect(await command(['catalog', 'refresh', source.sourceId])).toMatchObject({ code: 0, stderr: '' });
    await until('another pass', async () =>
      / idle +1\/1 +0 +0 +1 /.test((await command(['catalog', 'sources'])).stdout),
    );
    facilitator.answer((_asked, response) => {
      response.writeHead(500).end();
      return true;
    });
    await command(['catalog', 'refresh', source.sourceId]);
    await until('a failure', async () =>
      (await command(['catalog', 'sources'])).stdout.includes('answered 500'),
    );

    expect(await command(['catalog', 'remove', source.sourceId], { typed: ['n'] })).toMatchObject({
      stdout: '',
    });
    expect(await command(['catalog', 'remove', source.sourceId])).toMatchObject({ stdout: '' });
    expect((await command(['catalog', 'sources', '--json'])).json.sources).toHaveLength(1);
    expect(await command(['catalog', 'remove', source.sourceId], { typed: ['y'] })).toMatchObject({
      code: 0,
    });
    expect((await command(['catalog', 'sources', '--json'])).json.sources).toEqual([]);
    const missing = await command(['catalog', 'refresh', source.sourceId]);
    expect([missing.code === 0, missing.stderr]).toEqual([false, expect.stringContaining('no source')]);
    const wrong = await command(['catalog', 'add', 'http://facilitator.example']);
    expect([wrong.code === 0, wrong.stderr]).toEqual([false, expect.stringContaining('url: must be https')]);
  });
});

describe('treasury cold return', () => {
  it('sends all that the treasury itself holds to the cold wallet, after it was confirmed', async () => {
    expect((await command(['cold', 'return', '--yes'])).stderr).toContain('There is no cold wallet');
    const cold = await createColdWallet(treasury.host.rpcUrl, 1_000_000n);
    await command(['cold', 'set', cold.address, '--yes']);
    const unsure = await command(['cold', 'return']);
    expect(unsure.code).not.toBe(0);
    expect((await cold.account()).balance).toBe(1_000_000n);
    const sent = await command(['cold', 'return', '--yes', '--key', 'back']);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(sent.stdout).toContain(`990.00 USDC to ${cold.address}`);
    expect((await cold.account()).balance).toBe(991_000_000n);
    const empty = await command(['cold', 'return', '--yes']);
    expect(empty.stderr).toContain('holds nothing');
    expect((await cold.account()).balance).toBe(991_000_000n);
  });

  it('is followed by draws, which the command that looks a transfer up names', async () => {
    const cold = await createColdWallet(treasury.host.rpcUrl, 50_000_000n);
    expect((await command(['cold', 'forget'])).code).toBe(0);
    await command(['cold', 'set', cold.address, '--yes']);
    await cold.allow(treasury.owner, 20_000_000n);
    const { body } = await treasury.client.post('/v1/agents/scout/allocate', { amount: '1.00' });
    const { stdout } = await command(['payment', String(body['transferId'])]);
    expect(stdout).toContain(`the cold wallet ${cold.address}`);
  });
});

describe('treasury cold allow', () => {
  it('prints the command for the Ledger’s first account, and pauses draws for it', async () => {
    const { stdout } = await command(['cold', 'allow', '5']);
    expect(stdout).toContain('--owner "usb://ledger?key=0"');
    expect(stdout).toContain('Drawing is paused for two minutes');
    expect((await treasury.client.get('/v1/cold')).body['cold'].pausedUntil).not.toBeNull();
  });
});

describe.skipIf(!hidesKeychain)('a locked vault with a passphrase', () => {
  let opened: WithPassphrase;
  let host: WithPassphrase['host'];
  let dataDir: string;
  beforeAll(async () => {
    opened = await openWithPassphrase();
    ({ host, dataDir } = opened);
  });
  afterAll(() => opened.close());
  const type = (line: string, setting: Partial<Setting> = {}): Promise<Ended> =>
    run([...line.split(' '), '--data', dataDir], { home: dataDir, ...setting });
  const isLocked = (): boolean => host.engine.context.keys.locked();

  it('is unlocked by the passphrase that the terminal asks for, even without a login', async () => {
    const unlock = () => type('unlock', { typed: [passphrase] });
    expect(await unlock()).toMatchObject({ code: 0, stderr: 'Passphrase of the vault: ' });
    expect((await type('lock')).code).toBe(0);
    expect((await type('status')).code).toBe(5);
    expect(isLocked()).toBe(true);
    const unlocked = await unlock();
    expect(unlocked).toMatchObject({ code: 0, stdout: 'Unlocked. This terminal is logged in.\n' });
    expect(unlocked.stdout + unlocked.stderr).not.toContain(passphrase);
    expect(isLocked()).toBe(false);
    expect((await type('status')).code).toBe(0);
  });

  it('is unlocked even when this terminal’s login was ended elsewhere', async () => {
    await host.api.ask('lock');
    expect(isLocked()).toBe(true);
    expect((await type('unlock', { typed: [passphrase] })).code).toBe(0);
  });

  it('takes the passphrase from a file descriptor', async () => {
    await type('lock');
    const file = join(dataDir, 'passphrase');
    writeFileSync(file, `${passphrase}\n`);
    const fd = openSync(file, 'r');
    expect(await type(`unlock --passphrase-fd ${fd}`)).toMatchObject({ code: 0, stderr: '' });
    closeSync(fd);
    expect(isLocked()).toBe(false);
  });

  it('stays locked without the passphrase, or with another one', async () => {
    await type('lock');
    const mute = await type('unlock');
    expect(mute).toMatchObject({ code: 3, stdout: '' });
    expect(mute.stderr).toContain('--passphrase-fd');
    expect(await type('unlock', { typed: ['wrong horse battery'] })).toMatchObject({
      code: 5,
      stdout: '',
    });
    expect(isLocked()).toBe(true);
  });
});
