// `npm run first-call`: from an empty machine, after `npm ci`, to the first paid call seen on the dashboard. The host starts
// in an empty home and builds its page; Chromium walks the wizard; the line that it prints runs on a terminal; the
// configuration that the line wrote starts the bridge, which buys; the wizard asks, and shows what was paid. Prints the
// seconds of the machine and of the hands, and the clicks on the page.
//
// The hands are the keystroke-level model's (Card, Moran and Newell 1980), waited for in real time: 0.2 s for a key, 1.1 s
// for pointing, 0.2 s for a click, 0.4 s between mouse and keyboard, and 1.35 s to make up one's mind where there is
// something to read. A model that thinks about its tools comes on top, and npm's own time.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { Page } from 'playwright-core';
import { launch } from '../harness/browser.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';
import { openBridge } from '../mcp/bridge.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [mostMs, mostOfHandsMs, mostClicks] = [90_000, 30_000, 6];

const [key, point, click, home, mind] = [200, 1_100, 200, 400, 1_350];
const clickMs = point + click;
const pasteAndEnterMs = clickMs + home + 3 * key;

/** The steps, with the time of each. */
const createWatch = () => {
  const started = performance.now();
  let last = started;
  let hands = 0;
  return {
    /** Waits for as long as a person's hands and eyes take. */
    async hands(what: string, ms: number): Promise<void> {
      await wait(ms);
      hands += ms;
      last = performance.now();
      print(what, ms, 'hands');
    },
    machine(what: string): void {
      const now = performance.now();
      print(what, now - last, 'machine');
      last = now;
    },
    ended: () => ({ all: performance.now() - started, hands }),
  };
};
const print = (what: string, ms: number, whose: string): void =>
  void process.stdout.write(`${(ms / 1_000).toFixed(1).padStart(6)} s  ${whose.padEnd(8)} ${what}\n`);

/** Resolves with what the program prints once `pattern` is in it. @throws when it ends before */
const said = async (child: ChildProcess, pattern: RegExp): Promise<string> => {
  if (child.stdout === null) throw new Error('it has no output');
  let text = '';
  for await (const line of createInterface(child.stdout)) {
    text += `${stripVTControlCharacters(line)}\n`;
    const found = pattern.exec(text);
    if (found !== null) return found[1] ?? '';
  }
  throw new Error(`it ended: ${text}`);
};

const walk = async (env: NodeJS.ProcessEnv, watch: ReturnType<typeof createWatch>, page: Page) => {
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  watch.machine('the page opens');
  await watch.hands('looks at the money, and goes on', mind + clickMs);
  await button('Next: your first agent').click();
  await button('Create agent').waitFor();
  await watch.hands('reads the limits, and creates the agent', mind + clickMs);
  await button('Create agent').click();
  const line = page.getByRole('region', { name: 'Line that installs into Claude Code' });
  await line.waitFor();
  watch.machine('its wallet, its limits, its first money');
  await watch.hands('copies the line', mind + clickMs);
  await button('Copy').first().click();
  const copied = await page.evaluate('navigator.clipboard.readText()');

  await watch.hands('pastes it into a terminal', pasteAndEnterMs);
  const terminal = spawn('script', ['-qec', String(copied), '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(terminal, 'exit');
  const code = await said(terminal, /Code: (\S+)/);
  await page.getByText(code).waitFor();
  watch.machine('the terminal asks to be let in');
  await watch.hands('compares the codes, and lets it in', mind + home + clickMs);
  await button('Codes match, allow').click();
  if ((await ended)[0] !== 0) throw new Error('the line failed');
  watch.machine('the line writes the configuration');
};

const buy = async (env: NodeJS.ProcessEnv, watch: ReturnType<typeof createWatch>, page: Page) => {
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  await watch.hands('copies the question', clickMs);
  await button(/Copy the question/).click();
  await watch.hands('pastes it into the agent’s window', pasteAndEnterMs);
  const settings = JSON.parse(readFileSync(join(env['HOME'] ?? '', '.claude.json'), 'utf8'));
  const { command, args, env: own } = settings.mcpServers['agent-treasury'];
  const bridge = await openBridge({ ...own, HOME: env['HOME'] }, 'modern', { command, args });
  const found = await bridge.call('find_service', { query: 'weather' });
  // The bridge says how to buy each service.
  const url = new URL(/paid_fetch with url \\?"([^"\\]+)/.exec(found.text)?.[1] ?? found.text);
  url.searchParams.set('city', 'Lisbon');
  const buying = bridge.call('paid_fetch', {
    url: url.href,
    reason: 'the weather in Lisbon',
    waitSeconds: 50,
  });
  await page.getByText(/ is connected$/).waitFor();
  await button('Approve once').waitFor();
  watch.machine('the bridge starts, finds the service, and asks; the page turns green');
  await watch.hands('reads what is asked, and approves', mind + clickMs);
  await button(/^Approve/)
    .first()
    .click();
  const { content, text } = await buying;
  if (content['status'] !== 200) throw new Error(text);
  await page.getByText(/has made its first payment$/).waitFor();
  watch.machine('it is paid, the agent has its answer, and the page shows the payment');
  await bridge.close();
};

const main = async (): Promise<void> => {
  const folder = temporaryFolder();
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: join(folder, '.config') };
  // As after `npm ci`, nothing is built.
  for (const name of ['renderer', 'dashboard.stamp', 'compile-cache'])
    rmSync(join(root, 'build/out', name), { recursive: true, force: true });
  const watch = createWatch();
  const host = spawn('npm', ['start', '--', '--port', '0'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const browser = await launch();
  try {
    const address = await said(host, /Open the dashboard\s+(\S+)/);
    watch.machine('npm start: builds the page, makes a treasury with test money');
    await watch.hands('opens the address', mind + clickMs);
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    let clicks = 0;
    await page.exposeFunction('clicked', () => void (clicks += 1));
    await page.addInitScript(`addEventListener('click', () => clicked(), true)`);
    page.setDefaultTimeout(60_000);
    await page.goto(address);
    await walk(env, watch, page);
    await buy(env, watch, page);
    const { all, hands } = watch.ended();
    print('of all, of at most 90', all, 'both');
    print('of hands, of at most 30', hands, 'hands');
    process.stdout.write(`${clicks} clicks on the page, of at most ${mostClicks}\n`);
    if (all > mostMs || hands > mostOfHandsMs || clicks > mostClicks) process.exitCode = 1;
  } finally {
    await browser.close();
    // npm ends before the treasury does; its output closes when both have.
    const ended = once(host, 'close');
    host.stdout.resume();
    if (host.pid !== undefined) process.kill(-host.pid, 'SIGTERM');
    await ended;
    removeFolder(folder);
  }
};

await main();
