// `treasury public-address`: prints, sets and removes the address of the owner's tunnel.
import { expect, it } from 'vitest';
import { command, treasury, useTreasury } from './cli-treasury.ts';

useTreasury();

const url = 'https://treasury.example.ts.net';
const none =
  'Other machines do not reach this treasury. Set an address: treasury public-address https://HOST\n';
const linking = `Link another machine: treasury link --url ${url}\n`;
const set = async (): Promise<unknown> => (await treasury.client.get('/v1/public-address')).body;

it('is none at first', async () => {
  expect(await command('public-address')).toMatchObject({ code: 0, stdout: none });
});

it('is set as the treasury writes it, with what to type on the other machine, and read back', async () => {
  const told = `${url}\n${linking}You cannot sign in there as the owner.\n`;
  expect((await command(`public-address ${url.toUpperCase()}/`)).stdout).toBe(told);
  expect((await command('public-address')).stdout).toBe(told);
  expect((await command('public-address --json')).json).toEqual(await set());
});

it('lets the owner in there with the switch alone, and says what that means', async () => {
  expect((await command('public-address --owner-sessions on')).stdout).toBe(
    `${url}\n${linking}You may sign in there as the owner. Your tunnel’s operator can see that traffic, if it decrypts it.\n`,
  );
  expect(await set()).toMatchObject({ url, ownerSessions: true });
  await command('public-address --owner-sessions off');
  expect(await set()).toMatchObject({ url, ownerSessions: false });
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
  expect(await set()).toMatchObject({ url });
});

it('is removed with off, and the switch goes with it', async () => {
  await command(`public-address ${url} --owner-sessions on`);
  expect((await command('public-address off')).stdout).toBe(none);
  expect(await set()).toMatchObject({ url: null, ownerSessions: false });
  const { code, stderr } = await command('public-address --owner-sessions on');
  expect([code, stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining('ownerSessions: needs a public address'),
  ]);
});
