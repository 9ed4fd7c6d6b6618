// What is wrong with a page as it is drawn: violations that axe-core finds, text that is cut or lies under something, codes
// of programs in place of words, controls that no key reaches, and what moves without an end.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { errorCodes } from '../../server/errors.ts';
import { settled } from '../harness/browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * In the page: `audit` finds what axe calls serious or critical, by all its rules of that weight (`all`), by those of colours,
 * or by the others. A part of the page is the header, the navigation, the content, a dialog, or a menu. Each is looked at
 * once in the same state: with the same elements shown, and with something above the page or not.
 */
const auditing = `(() => {
  const severe = axe._audit.rules
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .filter(({ enabled, tags }) => enabled && !tags.includes('experimental') && !tags.includes('deprecated'))
    .map(({ id }) => id);
  const isOfColours = (rule) => ['color-contrast', 'link-in-text-block'].includes(rule);
  const rules = {
    all: severe,
    colours: severe.filter(isOfColours),
    others: severe.filter((rule) => !isOfColours(rule)),
  };
  const partsOf = (element) =>
    [...element.children].flatMap((child) => (child.querySelector('main') === null ? child : partsOf(child)));
  const shownIn = (part) => [part, ...part.querySelectorAll('*')].filter((one) => one.getClientRects().length > 0);
  const selfOf = (one) => one.cloneNode(false).outerHTML + [...one.childNodes].map(({ data = '' }) => data).join('');
  const looked = { all: new Set(), colours: new Set() };
  looked.others = looked.all;
  window.audit = async (kind) => {
    const parts = partsOf(document.body);
    const isCovered = parts.some((part) => part.matches('[data-portal]') && shownIn(part).length > 0);
    const include = parts.filter((part) => {
      const state = [isCovered, ...shownIn(part).map(selfOf)].join();
      return !looked[kind].has(state) && looked[kind].add(state);
    });
    if (include.length === 0) return [];
    const { violations } = await axe.run(include.length === parts.length ? document : { include }, {
      runOnly: { type: 'rule', values: rules[kind] },
      resultTypes: ['violations'],
      preload: false,
      iframes: false,
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => [id + ':', html, failureSummary ?? ''].join(' ')));
  };
})()`;

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

/** Whatever moves draws the page sixty times a second, for as long as it is open. */
const moving = `document.getAnimations()
  .filter(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime >= 1_000)
  .map(({ effect }) => 'never rests: ' + effect.target?.cloneNode(false).outerHTML)`;

const codes = errorCodes.filter((code) => code.includes('_'));
/** The first code of a program that is shown in place of words. */
const rawWords = `(/\\b(${codes.join('|')}|undefined|NaN|null|\\[object \\w+\\])\\b/.exec(document.body.innerText) ?? [])
  .slice(0, 1).map((word) => 'shows ' + word)`;

/** How much of a view is open. */
const opened = `document.querySelectorAll('[role=dialog], [aria-pressed=true], [aria-expanded=true], [aria-selected=true]').length`;

/** The widths at which a view must fit: 768 is the narrowest of its layout, which lasts to 991. */
export const widths = [1280, 768, 600, 360] as const;
const height = 860;

/**
 * The flaws of what `draw` shows. All rules are checked at the first width in the scheme that the page has, those of colours
 * in the other scheme as well, in which the page stays. A width changes no colours: at the last one, the other rules are
 * checked again of each part that shows other elements there.
 */
export const flawsOf = async (page: Page, name: string, draw: () => Promise<unknown>): Promise<string[]> => {
  await page.setViewportSize({ width: widths[0], height });
  await draw();
  await settled(page);
  const wrong: string[] = [];
  const note = async (where: string, script: string): Promise<void> => {
    const found = await page.evaluate<string[]>(script);
    wrong.push(...found.map((one) => `${name}, ${where}: ${one}`));
  };
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`${axe};${auditing}`);
  const before = await page.evaluate<string>('document.documentElement.dataset.mantineColorScheme');
  await note(before, `audit('all')`);
  await note(before, `[...${unreachable}, ...${rawWords}, ...${moving}]`);
  const other = before === 'light' ? 'dark' : 'light';
  await page.emulateMedia({ colorScheme: other });
  await page.locator(`html[data-mantine-color-scheme=${other}]`).waitFor();
  await settled(page);
  await note(other, `audit('colours')`);
  const open = await page.evaluate<number>(opened);
  for (const width of widths) {
    if (width !== widths[0]) await page.setViewportSize({ width, height });
    await settled(page);
    await note(`${width} px`, overflows);
  }
  await note(`${widths.at(-1)} px`, `${opened} < ${open} ? ['closes what was open'] : []`);
  await note(`${widths.at(-1)} px`, `audit('others')`);
  return wrong;
};
