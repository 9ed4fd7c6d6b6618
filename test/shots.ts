import { mkdirSync } from 'node:fs';
import { goTo, launch, openServed } from './harness/browser.ts';
import { live } from './harness/life.ts';
import { ensureBuilt } from '../build/build.ts';
await ensureBuilt('dashboard');
let ahead = 0;
const treasury = await openServed({
  clock: { wall: () => Date.now() + ahead, monotonic: () => performance.now() + ahead },
});
const { client, host } = treasury;
await live(treasury);
const browser = await launch();
const folder = '/tmp/shots';
mkdirSync(folder, { recursive: true });
const post = async (path: string, body: object = {}) => {
  const a = await client.post(`/v1/${path}`, body);
  if (a.status !== 200) console.log(path, a.status, a.text);
  return a;
};
await post('books/rules', {
  serviceId: 'web-search',
  account: 'Expenses:Research:Search',
  costCentre: 'R&D',
});
await post('books/rules', {
  agentId: 'research-scout',
  account: 'Expenses:Research',
  costCentre: 'A very long cost centre that names a whole department here',
});
await post('books/rules', {
  agentId: 'code-reviewer',
  serviceId: 'code-review',
  account: 'Expenses:Engineering:Reviews',
});
ahead = 40 * 86_400_000;
await host.engine.context.funds.compare();
console.log(JSON.stringify((await client.get('/v1/books/months')).body));
for (const m of ['2026-10', '2026-11']) {
  const a = await post(`books/months/${m}/close`);
  console.log(a.text.slice(0, 300));
}
const { store } = host.engine.context;
console.log(store.books.months().map(({ differences, ...m }) => [m.month, differences.length]));
const pick = process.argv[2] ?? '';
const shots: [string, string, ((page: any) => Promise<void>)?][] = [
  ['months', '/books'],
  ['november', '/books/2026-11'],
  ['october', '/books/2026-10'],
  [
    'download',
    '/books/download',
    async (page) => {
      await page.getByLabel('Period').first().click();
      await page.getByRole('option', { name: 'From a day' }).click();
    },
  ],
  ['rules', '/books/rules/2026-11'],
  [
    'rule',
    '/books/rules/2026-11',
    async (page) => {
      await page.getByRole('button', { name: 'Add a rule' }).click();
      await page.getByRole('dialog').getByLabel('Agent').first().click();
      await page.getByRole('option', { name: 'Research' }).click();
      await page.getByRole('textbox', { name: 'Account' }).fill('Expenses:research');
      await page.getByText(/comes first/).waitFor();
    },
  ],
];
for (const width of [380, 768, 1280, 1920])
  for (const colorScheme of width === 1280 ? (['light', 'dark'] as const) : (['light'] as const)) {
    const context = await browser.newContext({
      viewport: { width, height: 860 },
      colorScheme,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(15000);
    page.on('console', (m) => {
      if (['error', 'warning'].includes(m.type())) console.log(m.text());
    });
    page.on('pageerror', (e) => console.log(e.message));
    await page.goto(host.newLoginUrl() ?? '');
    await page.getByRole('main').waitFor();
    for (const [name, path, then] of shots) {
      if (!name.includes(pick)) continue;
      await goTo(page, '/nowhere');
      await goTo(page, path);
      await then?.(page).catch((e) => console.log(name, width, String(e).slice(0, 300)));
      await page.waitForTimeout(600);
      await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
    await context.close();
  }
await browser.close();
await treasury.close();
process.exit(0);
