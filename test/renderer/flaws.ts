// What is wrong with a page as it is drawn: violations that axe-core finds, text that is cut or lies under something, codes
// of programs in place of words, and controls that no key reaches.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { statusOfCode } from '../../server/errors.ts';
import { settled } from '../harness/browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const colours = ['color-contrast', 'link-in-text-block'];

/** Serious and critical violations. */
const violations = async (page: Page, options: RunOptions): Promise<string[]> => {
  const all = { resultTypes: ['violations'], preload: false, iframes: false, ...options };
  const results = (await page.evaluate(`axe.run(document, ${JSON.stringify(all)})`)) as AxeResults;
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
    );
};

const inScheme = async (page: Page, colorScheme: 'light' | 'dark'): Promise<void> => {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
  await settled(page);
};

/**
 * The visible elements whose contents are wider than they are: cut text, and overflowing cards. Scrolling elements
 * may be wider. Text that is cut with an ellipsis has to be whole in its title, or its name, and long enough to tell
 * what it is.
 */
const overflows = `(() => {
  const isHidden = (element) =>
    element.closest('[aria-hidden=true] svg, .mantine-VisuallyHidden-root, .visually-hidden, .skip-link, .mantine-Switch-track, .mantine-Indicator-root') !== null ||
    getComputedStyle(element).clipPath !== 'none' ||
    element.getClientRects().length === 0 || element.clientWidth <= 1;
  const scrolls = (element) => {
    for (let one = element; one !== null; one = one.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(one).overflowX) && one !== document.documentElement) return true;
    return false;
  };
  const isReadable = (element) => {
    const title = element.closest('[title]')?.title ?? '';
    const text = element.innerText.trim();
    return getComputedStyle(element).textOverflow === 'ellipsis' && element.clientWidth >= 72 &&
      title !== '' && (title.includes(text) || text.startsWith(title));
  };
  const name = (element) =>
    [element.tagName.toLowerCase(), element.className.toString().split(' ').filter((part) => !part.startsWith('m_')).join('.'),
      String(element.value || element.innerText || '').slice(0, 60).replaceAll('\\n', ' ')].join(' ');
  const wide = [document.documentElement, ...document.querySelectorAll('body *')]
    .filter((element) => element instanceof HTMLElement && element.scrollWidth > element.clientWidth + 1 && !isHidden(element))
    .filter((element) => !isReadable(element))
    .filter((element) => element.tagName === 'INPUT' || !scrolls(element))
    .map((element) => name(element) + ' (' + element.scrollWidth + ' in ' + element.clientWidth + ')');
  // A part of the header under the next one.
  const boxes = [...document.querySelectorAll('header[class*=AppShell] [class*=Badge-root], header[class*=AppShell] button')]
    .map((part) => part.getBoundingClientRect()).filter(({ width }) => width > 0);
  const isCovered = boxes.some(({ right }, index) => index + 1 < boxes.length && right > boxes[index + 1].left);
  return isCovered ? [...wide, 'a part of the header covers another'] : wide;
})()`;

/**
 * Visible controls that Tab does not stop at, except for those that arrow keys reach within a group, for steps that cannot
 * be chosen, and for Mantine's buttons that show a password.
 */
const unreachable = `[...document.querySelectorAll('a[href], button, input, select, textarea, [role=button], [role=switch]')]
  .filter((one) => one.tabIndex < 0 && !one.disabled && one.getClientRects().length > 0)
  .filter((one) => one.closest('[role=tablist], [role=menu], [role=radiogroup], [role=listbox], [role=row], [aria-hidden=true], table, [inert], .mantine-PasswordInput-visibilityToggle, .mantine-Stepper-step') === null)
  .map((one) => 'no key reaches ' + one.outerHTML.slice(0, 160))`;

const codes = Object.keys(statusOfCode).filter((code) => code.includes('_'));
const rawWords = new RegExp(`\\\\b(${codes.join('|')}|undefined|NaN|null|\\\\[object \\\\w+\\\\])\\\\b`);

/** How much of a view is open: less where a width draws another layout. */
const opened = (page: Page): Promise<number> =>
  page.evaluate(
    `document.querySelectorAll('[role=dialog], [aria-pressed=true], [aria-expanded=true], [aria-selected=true]').length`,
  );

/** The widths at which a view must fit. */
export const widths = [1280, 900, 768, 600, 360] as const;
const height = 860;

/**
 * The flaws of what `draw` shows. All rules are checked in the light at the first width, those of colours in the dark as
 * well, and all but those of colours again at the last: a width changes no colours. The page stays light and wide.
 */
export const flawsOf = async (page: Page, name: string, draw: () => Promise<unknown>): Promise<string[]> => {
  await page.setViewportSize({ width: widths[0], height });
  await draw();
  await settled(page);
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  const wrong: string[] = [];
  const note = (where: string, found: readonly string[]) =>
    wrong.push(...found.map((one) => `${name}, ${where}: ${one}`));
  note('light', await violations(page, {}));
  note('light', await page.evaluate<string[]>(unreachable));
  const [raw] = rawWords.exec(await page.locator('body').innerText()) ?? [];
  if (raw !== undefined) note('light', [`shows ${raw}`]);
  await inScheme(page, 'dark');
  note('dark', await violations(page, { runOnly: { type: 'rule', values: colours } }));
  await inScheme(page, 'light');
  const before = await opened(page);
  for (const width of widths) {
    if (width !== widths[0]) await page.setViewportSize({ width, height });
    await settled(page);
    if ((await opened(page)) < before) {
      await draw();
      await settled(page);
    }
    note(`${width} px`, await page.evaluate<string[]>(overflows));
  }
  const rules = Object.fromEntries(colours.map((rule) => [rule, { enabled: false }]));
  note(`${widths.at(-1)} px`, await violations(page, { rules }));
  await page.setViewportSize({ width: widths[0], height });
  return wrong;
};
