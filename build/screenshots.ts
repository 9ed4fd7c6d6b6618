// `npm run screenshots [FOLDER]`: takes a picture of each screen of a treasury with some history, light and dark, wide
// and 380 px. Also replaces those of the README in build/images.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { goTo, launch } from '../test/harness/browser.ts';
import { usdc } from '../server/money.ts';
import { createColdWallet } from '../test/harness/chain/cold-wallet.ts';
import { live, type Lived } from '../test/harness/life.ts';
import { instantly, openTreasury, type Treasury } from '../test/harness/treasury.ts';
import { paint } from '../test/renderer/painted.ts';
import { ensureBuilt, rendererFolder } from './build.ts';
import { describeMissing, ensureTestTools } from './setup.ts';

const folder = process.argv[2] ?? fileURLToPath(new URL('out/screenshots', import.meta.url));
const readme = ['overview', 'approvals', 'agent', 'books', 'cold-treasury'];
const images = fileURLToPath(new URL('images', import.meta.url));
const widths = { wide: { width: 1280, height: 860 }, narrow: { width: 380, height: 860 } };
const schemes = ['light', 'dark'] as const;

interface Shot {
  name: string;
  path: string;
  /** Actions once the screen is there. */
  first?: (page: Page) => Promise<void>;
}

const shotsOf = ({ paid, refused }: { paid: string; refused: string }): Shot[] => [
  { name: 'overview', path: '/' },
  { name: 'agents', path: '/agents' },
  { name: 'agent', path: '/agents/research-scout' },
  { name: 'approvals', path: '/approvals' },
  { name: 'activity', path: '/activity' },
  { name: 'payment', path: `/activity/${paid}` },
  { name: 'refusal', path: `/activity/${refused}` },
  { name: 'books', path: '/books' },
  { name: 'books-download', path: '/books/download' },
  { name: 'books-rules', path: '/books/rules' },
  { name: 'treasury', path: '/treasury' },
  {
    name: 'cold-treasury',
    path: '/treasury',
    first: async (page) => page.locator('summary', { hasText: 'Revoke the allowance' }).click(),
  },
  { name: 'settings', path: '/settings/limits' },
  { name: 'settings-notices', path: '/settings/notices' },
  { name: 'not-found', path: '/nowhere' },
];

/** Opens a link session, with an identity that may complete it. Returns the link page's URL. */
const askToLink = async ({ client }: Treasury): Promise<string> => {
  const wallet = '7Xk2mQp4vRsTgYh9uWzBcDeFjKLnMaPqRtUvXyZ19fQa';
  await client.post('/v1/identities', { kind: 'wallet', subject: wallet, label: 'My hardware wallet' });
  await client.post('/v1/identities', { kind: 'email', subject: 'maker@example.com', label: 'My mail' });
  await client.post('/v1/sign-in/mail-server', {
    mailServer: {
      host: 'smtp.example.com',
      port: 465,
      security: 'tls',
      user: 'maker@example.com',
      password: 'a password',
      from: 'treasury@example.com',
    },
  });
  const { body } = await client.post('/v1/link-sessions', { machine: 'maker on laptop' });
  return String(body['linkUrl']);
};

/** Most of the money lies with a wallet that the treasury may draw on. */
const addCold = async ({ client, host, owner }: Treasury): Promise<void> => {
  const cold = await createColdWallet(host.rpcUrl, 520_000_000n);
  await cold.allow(owner, 100_000_000n);
  await client.post('/v1/cold', { address: cold.address });
};

/** The month before was paid from what came in before it, as far as the books go. */
const addEarlier = async ({ client, host }: Treasury): Promise<void> => {
  const { body } = await client.get(`/v1/books/months/${new Date().toISOString().slice(0, 7)}/totals`);
  const { treasury, agents } = (await client.get('/v1/dashboard')).body['total'];
  const missing = Number(treasury) + Number(agents) - Number(body['closing']);
  const { store } = host.engine.context;
  const [newest] = store.deposits.list(null, 1);
  if (newest === undefined) throw new Error('there is no deposit');
  store.atomically(() => {
    store.deposits.insert({
      ...newest,
      id: 'dep_earlier',
      txSignature: '5'.repeat(88),
      amount: usdc(BigInt(Math.round(missing * 1e6))),
      asset: 'USDC',
      at: Date.now() - 31 * 86_400_000,
      status: 'confirmed',
    });
    store.deposits.settle('dep_earlier', 'final');
  });
};

const shootLink = async (browser: Browser, linkUrl: string): Promise<void> => {
  for (const [width, viewport] of Object.entries(widths))
    for (const colorScheme of schemes) {
      const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
      const page = await context.newPage();
      await page.goto(linkUrl);
      await page.getByText('Does your terminal show this code?').waitFor();
      await page.waitForTimeout(500);
      const file = join(folder, `link-${width}-${colorScheme}.png`);
      await page.screenshot({ path: file, fullPage: true });
      process.stdout.write(`${file}\n`);
      await context.close();
    }
};

/** The catalog, and pictures in every state; last, since pictures cost money. */
const shootCatalog = async (browser: Browser, treasury: Treasury, { agents }: Lived): Promise<void> => {
  const { 'research-scout': one, 'travel-planner': other } = agents;
  if (one === undefined || other === undefined) throw new Error('the agents of the catalog are not there');
  const { made, failed, close } = await paint(treasury, one, other);
  await shoot(browser, treasury, [
    { name: 'catalog', path: '/catalog' },
    { name: 'sources', path: '/catalog/sources' },
    { name: 'models', path: '/catalog/models' },
    { name: 'image-models', path: '/catalog/images' },
    { name: 'pictures', path: '/gallery' },
    { name: 'picture', path: `/gallery/research-scout/${made}` },
    { name: 'failed-picture', path: `/gallery/research-scout/${failed}` },
  ]).finally(close);
};

const shoot = async (
  browser: Browser,
  { host }: Treasury,
  shots: readonly Shot[],
  prefix = '',
): Promise<void> => {
  for (const [width, viewport] of Object.entries(widths))
    for (const colorScheme of schemes) {
      const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
      const page = await context.newPage();
      await page.goto(host.newLoginUrl() ?? '');
      await page.getByRole('main').waitFor();
      for (const { name, path, first } of shots) {
        await goTo(page, path);
        await first?.(page);
        // Charts and countdowns animate without an event to wait for.
        await page.waitForTimeout(1_000);
        const file = join(folder, `${prefix}${name}-${width}-${colorScheme}.png`);
        if (prefix === '' && width === 'wide' && colorScheme === 'light' && readme.includes(name))
          await page.screenshot({ path: join(images, `${name}.png`) });
        // The header sticks to the top of the view: the picture of the whole page begins there.
        await page.evaluate('scrollTo(0, 0)');
        await page.screenshot({ path: file, fullPage: true });
        process.stdout.write(`${file}\n`);
      }
      await context.close();
    }
};

const withTreasury = async (work: (treasury: Treasury) => Promise<void>): Promise<void> => {
  const treasury = await openTreasury({ args: instantly, dashboard: rendererFolder });
  await work(treasury).finally(treasury.close);
};

for (const tool of await ensureTestTools()) process.stderr.write(`${describeMissing(tool)}\n`);
await ensureBuilt('dashboard');
mkdirSync(folder, { recursive: true });
const browser = await launch();
await withTreasury((treasury) => shoot(browser, treasury, [{ name: 'welcome', path: '/' }]));
await withTreasury(async (treasury) => {
  const lived = await live(treasury);
  const linkUrl = await askToLink(treasury);
  await addCold(treasury);
  await addEarlier(treasury);
  await shoot(browser, treasury, shotsOf(lived));
  await shootCatalog(browser, treasury, lived);
  await shootLink(browser, linkUrl);
  await treasury.client.post('/v1/freeze');
  await shoot(browser, treasury, [{ name: 'overview', path: '/' }], 'frozen-');
});
await browser.close();
