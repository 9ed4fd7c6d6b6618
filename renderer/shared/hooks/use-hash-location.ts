// The dashboard's address. Its path and its search are both in the hash, so that a link opens the same in a new tab. The
// router's own hook keeps the search before the hash, where it outlives its screen.
import { useHashLocation as useHash } from 'wouter/use-hash-location';

const usePart = (isSearch: boolean): string => {
  const [address] = useHash();
  const [path = '/', ...search] = address.split('?');
  return isSearch ? search.join('?') : path;
};

/** Without filters, a search is empty. */
const withoutEmpty = (address: string): string => address.replace(/\?$/, '');

export const navigate = (to: string, { replace = false } = {}): void => {
  const oldURL = location.href;
  history[replace ? 'replaceState' : 'pushState'](null, '', `#${withoutEmpty(to)}`);
  dispatchEvent(new HashChangeEvent('hashchange', { oldURL, newURL: location.href }));
};

export const useHashLocation = Object.assign((): [string, typeof navigate] => [usePart(false), navigate], {
  searchHook: () => usePart(true),
  hrefs: (path: string) => `#${path}`,
});

/** Addresses had their search before the hash once. */
export const moveSearch = (): void => {
  const { hash, search, pathname } = location;
  if (search !== '') history.replaceState(null, '', `${pathname}${hash === '' ? '#/' : hash}${search}`);
};
