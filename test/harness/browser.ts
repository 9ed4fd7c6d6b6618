// The dashboard in a real Chromium: each page has a profile of its own, and every complaint of the page is kept.
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from 'playwright-core';
import { beforeAll, beforeEach } from 'vitest';
import { rendererFolder } from '../../build/build.ts';
import { missingTools } from '../../build/setup.ts';
import { openTreasury, type Options, type Treasury } from './treasury.ts';

/** The same browser without what draws windows takes half the processor's time. */
const executablePath = `/usr/bin/${missingTools('chromium-headless-shell').length === 0 ? 'chromium-headless-shell' : 'chromium'}`;
/** Long enough for a busy machine: a test that passes never waits for it. */
export const patienceMs = Number(process.env['TREASURY_PATIENCE_MS'] ?? 60_000);
/** Without the browser's own requests to the internet. */
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  // Tabs share a process, and so what it has compiled.
  '--process-per-site',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const launch = (): Promise<Browser> => chromium.launch({ executablePath, args: quiet });

/** One for all files of a worker: it ends with the process. */
let browser: Browser | undefined;

/** For a file of tests: Chromium is started before the first, or each is skipped with the reason. */
export const useBrowser = (): void => {
  const missing = missingTools('chromium');
  beforeAll(async () => {
    if (missing.length === 0 && browser?.isConnected() !== true) browser = await launch();
  });
  beforeEach((test) => {
    if (missing.length > 0) test.skip('chromium is not installed');
  });
};

/** A treasury that serves the built dashboard. */
export const openServed = (options: Options = {}): Promise<Treasury> =>
  openTreasury({ ...options, dashboard: rendererFolder });

export interface Seen {
  page: Page;
  /** Errors and warnings of the console, exceptions, and requests to anything but the treasury. */
  complaints: string[];
  close(): Promise<void>;
}

export interface PageOptions extends BrowserContextOptions {
  /** Fetches the code of all screens once it is idle, as it does for an owner. */
  fetchesAhead?: boolean;
}

/** In each page: counts the requests of the page whose answers it has not read yet. */
const countRequests = `{
  let open = 0;
  window.openRequests = () => open;
  const counted = (work) => async function (...given) {
    open += 1;
    try {
      return await work.apply(this, given);
    } finally {
      open -= 1;
    }
  };
  const [send, sendCounted] = [window.fetch, counted(window.fetch)];
  window.fetch = (...given) => (String(given[0]).includes('/v1/events') ? send : sendCounted)(...given);
  for (const read of ['json', 'text', 'blob', 'arrayBuffer'])
    Response.prototype[read] = counted(Response.prototype[read]);
}`;

/** The pages that tests have left, by what they were opened with. Their processes have compiled the dashboard already. */
const left = new Map<string, Page>();

/** Takes the page that was left and looks the same, if there is one. */
const takeLeft = (look: string): Page | undefined => {
  const page = left.get(look);
  left.delete(look);
  return page;
};

/** Marks a page that was given what stays for as long as it lives, and so cannot be used again. */
const marking = (page: Page): (() => boolean) => {
  let isMarked = false;
  const mark = <T extends object>(of: T, names: readonly (keyof T)[]): void => {
    for (const name of names) {
      const method = of[name] as (...given: unknown[]) => unknown;
      of[name] = ((...given: unknown[]) => {
        isMarked = true;
        return method.apply(of, given);
      }) as T[typeof name];
    }
  };
  mark(page, ['addInitScript', 'exposeFunction', 'close', 'setDefaultTimeout']);
  mark(page.context(), ['addInitScript', 'setOffline', 'newCDPSession', 'close']);
  mark(page.clock, ['install', 'setFixedTime']);
  return () => isMarked;
};

/** Leaves a page as it was when it came: nothing kept, nothing listens, nothing is routed. */
const cleaned = async (page: Page, { viewport, colorScheme, reducedMotion }: PageOptions): Promise<void> => {
  for (const other of page.context().pages()) if (other !== page) await other.close();
  page.removeAllListeners();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().clearCookies();
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.goto('about:blank');
  await page.emulateMedia({
    media: null,
    colorScheme: colorScheme ?? 'light',
    reducedMotion: reducedMotion ?? 'reduce',
  });
  await page.setViewportSize(viewport ?? wide);
};

const wide = { width: 1280, height: 860 };

const newPage = async ({ fetchesAhead = false, ...options }: PageOptions): Promise<Page> => {
  if (browser === undefined) throw new Error('call useBrowser() in the file');
  // Without motion unless a test is about it: each frame is drawn by the processor, also while a test waits.
  const context = await browser.newContext({ viewport: wide, reducedMotion: 'reduce', ...options });
  // Most pages visit a few screens: to fetch and compile the code of all would be half of what they cost.
  if (!fetchesAhead) await context.addInitScript('window.requestIdleCallback = () => 0');
  await context.addInitScript(countRequests);
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  return page;
};

/** An empty page that may talk to `origin` alone. */
export const openPage = async (origin: string, options: PageOptions = {}): Promise<Seen> => {
  const look = JSON.stringify(options);
  const page = takeLeft(look) ?? (await newPage(options));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  const isMarked = marking(page);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:') && !url.startsWith('blob:'))
      complaints.push(`request: ${url}`);
  });
  const close = async (): Promise<void> => {
    if (left.has(look) || isMarked() || !page.url().startsWith(origin)) return page.context().close();
    await cleaned(page, options);
    left.set(look, page);
  };
  return { page, complaints, close };
};

/** The dashboard of a treasury, signed in, at one of its screens. */
/** Stands on every screen of an owner's. */
export const inside = (page: Page): Locator => page.getByRole('button', { name: 'Find or run a command' });

export const openDashboard = async (
  { host }: Pick<Treasury, 'host'>,
  path = '/',
  options: PageOptions = {},
): Promise<Seen> => {
  const seen = await openPage(host.url, options);
  await seen.page.goto(host.newLoginUrl() ?? '');
  await inside(seen.page).waitFor();
  await goTo(seen.page, path);
  return seen;
};

export const goTo = async (page: Page, path: string): Promise<void> => {
  await page.evaluate(`location.hash = ${JSON.stringify(path)}`);
  await page.locator('[role=status][aria-label=Loading]').first().waitFor({ state: 'detached' });
};

/** Resolves once the page has what it asked for, loads no part of itself, and has drawn all of it in its place. */
export const settled = (page: Page): Promise<unknown> =>
  page.evaluate(`(async () => {
    const isBusy = () =>
      openRequests() > 0 ||
      document.querySelector('[role=status][aria-label=Loading]') !== null ||
      document.getAnimations().some((one) => one.playState === 'running' && one.effect?.getComputedTiming().endTime < 1_000);
    for (let calm = 0; calm < 3; calm = isBusy() ? 0 : calm + 1)
      await new Promise((draw) => requestAnimationFrame(draw));
  })()`);
