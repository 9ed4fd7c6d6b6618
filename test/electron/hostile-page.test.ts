// A page that was taken over, at each way out of it. The preload script offers named functions alone; the policy, in a real
// Chromium, stops what a script tries; and over IPC neither a wrong sender nor a malformed message has an effect.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { anything, constant, dictionary, oneof, record, sample, string } from 'fast-check';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { desktopFolder, ensureBuilt, rendererFolder } from '../../build/build.ts';
import { createPageHandler } from '../../electron/app-scheme.ts';
import { desktopChannel, desktopCommands, ownerChannel, ownerRoutes } from '../../electron/ipc/channels.ts';
import type { DesktopBridge } from '../../electron/ipc/ipc.ts';
import { openPage, useBrowser } from '../harness/browser.ts';
import { removeFolder, temporaryFolder, until } from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { launchDesktop, type DesktopProcess } from './desktop-process.ts';
import { attackFrom, expectedViolations } from './hostile-page.ts';
import type { Sender } from './stand-in/commands.ts';

describe('the built preload script', () => {
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
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

describe('a hostile page under the desktop’s policy', () => {
  useBrowser();
  let page: Page;
  let server: Server;
  let other: Server;
  /** The requests that reached another server of this machine, which would answer. */
  const reached: string[] = [];

  beforeAll(async () => {
    if (!existsSync(join(rendererFolder, 'index.html'))) await ensureBuilt('dashboard');
    const handle = createPageHandler(rendererFolder);
    server = createServer((request, response) => {
      const answer = async (): Promise<void> => {
        const served = await handle(
          new Request(`app://treasury${request.url ?? '/'}`, { method: request.method ?? '' }),
        );
        response.writeHead(served.status, Object.fromEntries(served.headers));
        response.end(Buffer.from(await served.arrayBuffer()));
      };
      void answer();
    }).listen(0, '127.0.0.1');
    other = createServer((request, response) => {
      reached.push(request.url ?? '');
      response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'text/event-stream' });
      response.end('data: here\n\n');
    }).listen(0, '127.0.0.1');
    await Promise.all([once(server, 'listening'), once(other, 'listening')]);
    const origin = `http://127.0.0.1:${portOf(server)}`;
    ({ page } = await openPage(origin));
    await page.goto(`${origin}/index.html`);
  });
  afterAll(async () => {
    await page.context().close();
    server.close();
    other.close();
  });

  it('succeeds with nothing that the policy can stop', async () => {
    const { successes, violations, attempts } = await attackFrom(page, portOf(other));
    expect(attempts).toBe(23);
    // Electron has to refuse the window that a browser opens: test/electron/real.test.ts.
    expect(successes.filter((name) => name !== 'window.open')).toEqual([]);
    expect(violations).toEqual(expect.arrayContaining(expectedViolations));
    expect(reached).toEqual([]);
  });
});

const channels = [...ownerRoutes.map(ownerChannel), ...desktopCommands.map(desktopChannel)];
const messagesPerChannel = tries(20, 200);

/** Valid for its route, so that only the check of the sender keeps it from its effect. */
const effects = [
  [ownerChannel('freeze'), {}],
  [ownerChannel('kill'), { params: { agentId: 'scout' } }],
  [ownerChannel('deploy'), { body: { agentId: 'evil', dailyBudget: '1.00', maxPerPayment: '1.00' } }],
  [ownerChannel('lock'), {}],
  [desktopChannel('copy'), { text: 'evil' }],
  [desktopChannel('changeSettings'), { shortcut: 'F1' }],
  [desktopChannel('openDataFolder'), {}],
  [desktopChannel('quit'), {}],
] as const;

/** Any value that can cross IPC; a field that no schema knows keeps it from being valid by accident. */
const junk = oneof(
  anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true }),
  record({ evil: anything(), params: anything(), body: anything(), key: anything() }),
  record({ evil: constant(true), body: dictionary(string(), anything()) }),
  constant({ evil: 'x'.repeat(100_000) }),
  constant(JSON.parse('{"__proto__": {"body": {}}, "evil": 1}')),
);

/** Neither undefined nor an empty object, which many routes rightly take. */
const isHostile = (value: unknown): boolean =>
  value !== undefined &&
  !(typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0);

const canCross = (value: unknown): boolean => {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
};

describe('a hostile page', () => {
  const dataDir = temporaryFolder();
  let desktop: DesktopProcess;

  /** Everything that a message could have changed. */
  const look = async () => {
    const { treasury, agents, frozen, locked, ceiling, pendingApprovals, recentActivity } =
      await desktop.ask('dashboard');
    const { about, counts } = await desktop.ask('diagnostics');
    const { entries } = await desktop.ask('activity', { query: { limit: '500' } });
    const keys = await desktop.ask('listKeys', { params: { agentId: 'scout' } });
    const state = await desktop.desktop('state', {});
    const clipboard = await desktop.do('clipboard');
    const calls = (await desktop.do('calls')).map(({ call }) => call).filter((call) => !/badge/i.test(call));
    // The SOL is read from the chain by the clock; what would cost some is an entry.
    const { sol: _sol, transfersLeft: _left, ...money } = treasury;
    const held = { money, agents, frozen, locked, ceiling, pendingApprovals, recentActivity };
    return { ...held, about, counts, entries, keys, state, clipboard, calls };
  };

  beforeAll(async () => {
    desktop = await launchDesktop(dataDir);
    await desktop.desktop('setUp', { network: 'sandbox' });
    await desktop.ask('deploy', { body: { agentId: 'scout', dailyBudget: '1.00', maxPerPayment: '0.50' } });
    const moved = await desktop.ask('allocate', { params: { agentId: 'scout' }, body: { amount: '2.00' } });
    await until('all is final', async () => {
      const { state } = await desktop.ask('getTransfer', { params: { transferId: moved.transferId } });
      return state === 'final';
    });
    await desktop.do('messages');
  });
  afterAll(async () => {
    desktop.signal('SIGKILL');
    await desktop.exited;
    removeFolder(dataDir);
  });

  it('finds a handler for each route and command of the contract, and for nothing else', async () => {
    expect((await desktop.do('channels')).toSorted()).toEqual(channels.toSorted());
    for (const channel of ['owner:pay', 'owner:statement', 'desktop:eval', 'owner:__proto__', ''])
      await expect(desktop.answer(channel, {})).rejects.toThrow('No handler');
  });

  it.each<Sender>(['no frame', 'subframe', 'other origin', 'other window', 'detached'])(
    'has no effect when the sender is: %s',
    async (as) => {
      const before = await look();
      for (const [channel, input] of effects) {
        const answer = await desktop.answer(channel, input, as);
        expect(answer, channel).toMatchObject({ ok: false, error: { code: 'forbidden' } });
      }
      expect(await look()).toEqual(before);
    },
  );

  it(`has no effect with ${messagesPerChannel} malformed messages on each of ${channels.length} channels`, async () => {
    const before = await look();
    const inputs = sample(junk, { numRuns: 3 * messagesPerChannel, seed: 20 })
      .filter(isHostile)
      .filter(canCross)
      .slice(0, messagesPerChannel);
    expect(inputs).toHaveLength(messagesPerChannel);
    const accepted: string[] = [];
    for (const channel of channels) {
      const answers = await Promise.all(inputs.map((input) => desktop.answer(channel, input)));
      for (const [place, answer] of answers.entries()) {
        if (answer.ok) accepted.push(`${channel} took message ${place}`);
        else expect(['bad_request', 'too_large']).toContain(answer.error.code);
      }
    }
    expect(accepted).toEqual([]);
    expect(await look()).toEqual(before);
    expect(desktop.stderr()).not.toContain('"level":"error"');
  });

  it('is refused valid messages of wrong types, extra fields and sizes', async () => {
    const before = await look();
    const wrong: [string, unknown][] = [
      [ownerChannel('freeze'), { extra: 1 }],
      [ownerChannel('kill'), { params: { agentId: 'scout', evil: 1 } }],
      [ownerChannel('kill'), { params: { agentId: ['scout'] } }],
      [ownerChannel('allocate'), { params: { agentId: 'scout' }, body: { amount: 1 } }],
      [ownerChannel('allocate'), { params: { agentId: 'scout' }, body: { amount: '1.00' }, key: 'ä' }],
      [ownerChannel('rename'), { params: { agentId: 'scout' }, body: { displayName: 'x'.repeat(70_000) } }],
      [desktopChannel('copy'), { text: 'x'.repeat(16_385) }],
      [desktopChannel('openExplorer'), { signature: '../../evil' }],
      [desktopChannel('setUp'), { network: 'testnet' }],
      [desktopChannel('setUp'), { network: 'sandbox', rpcUrl: 'file:///etc/passwd' }],
      [desktopChannel('retry'), { port: -1 }],
    ];
    for (const [channel, input] of wrong)
      expect(await desktop.answer(channel, input), channel).toMatchObject({ ok: false });
    expect(await look()).toEqual(before);
  });
});
