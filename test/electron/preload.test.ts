// The built preload script, run with a recording `electron`, and the object that it puts into the page.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { beforeAll, expect, it } from 'vitest';
import { desktopFolder, ensureBuilt } from '../../build/build.ts';
import { desktopCommands, ownerRoutes } from '../../electron/ipc/channels.ts';
import type { DesktopBridge } from '../../electron/ipc/ipc.ts';

const required: string[] = [];
const invoked: unknown[][] = [];
const listeners = new Map<string, (event: object, body: unknown) => void>();
const exposed = new Map<string, DesktopBridge>();

beforeAll(async () => {
  await ensureBuilt('desktop');
  const electron = {
    contextBridge: {
      exposeInMainWorld: (name: string, value: DesktopBridge) => void exposed.set(name, value),
    },
    ipcRenderer: {
      invoke: (...args: unknown[]) => Promise.resolve(void invoked.push(args)),
      on: (channel: string, listen: (event: object, body: unknown) => void) =>
        void listeners.set(channel, listen),
    },
  };
  runInNewContext(readFileSync(join(desktopFolder, 'preload.cjs'), 'utf8'), {
    exports: {},
    TypeError,
    require(name: string) {
      required.push(name);
      return electron;
    },
  });
});

const bridge = (): DesktopBridge => {
  const found = exposed.get('treasury');
  if (found === undefined) throw new Error('nothing was exposed');
  return found;
};

it('needs electron alone, and exposes one object', () => {
  expect([required, [...exposed.keys()]]).toEqual([['electron'], ['treasury']]);
});

it('offers a named function for each route, command and message, and nothing else', () => {
  const { owner, desktop, ...rest } = bridge();
  expect(Object.keys(owner).toSorted()).toEqual(ownerRoutes.toSorted());
  expect(Object.keys(desktop).toSorted()).toEqual(desktopCommands.toSorted());
  expect(Object.keys(rest).toSorted()).toEqual(['onEvent', 'onOpen', 'onState']);
  const values = [owner, desktop]
    .flatMap((group) => Object.values(group))
    .concat(Object.values(rest) as never[]);
  expect(values.every((value) => typeof value === 'function')).toBe(true);
});

it('asks on the channel with its name, with one argument', async () => {
  const input = { params: { agentId: 'scout' } };
  await (bridge().owner.kill as (...args: unknown[]) => Promise<unknown>)(input, 'more');
  await bridge().desktop.quit({});
  expect(invoked).toEqual([
    ['owner:kill', input],
    ['desktop:quit', {}],
  ]);
});

it('forwards each message without its event, until the page unsubscribes', () => {
  const got: unknown[][] = [];
  const end = bridge().onState((...args) => void got.push(args));
  listeners.get('message:state')?.({ sender: 'secret' }, { phase: 'running' });
  end();
  listeners.get('message:state')?.({ sender: 'secret' }, { phase: 'failed' });
  expect(got).toEqual([[{ phase: 'running' }]]);
});

it('keeps the requested screen until the page listens', () => {
  listeners.get('message:open')?.({}, { path: '/approvals' });
  const opened: unknown[] = [];
  bridge().onOpen((message) => void opened.push(message));
  bridge().onOpen((message) => void opened.push(message));
  expect(opened).toEqual([{ path: '/approvals' }]);
});
