// An error for a person at a browser: the dashboard is not there to draw it, or the address has no page.
import type { AppError } from '../errors.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const hint = (path: string): string =>
  path === '/'
    ? 'This treasury serves no dashboard. Start it with <code>npm start</code>, which builds one.'
    : 'This address is for programs, which send a key.';

/** A page without scripts. While the treasury starts, it asks again by itself. */
export const errorPage = ({ status, message }: AppError, path: string): string => `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <meta name="color-scheme" content="light dark" />
  ${status === 503 ? '<meta http-equiv="refresh" content="2" />' : ''}
  <title>Agent Treasury</title>
  <h1>${status === 404 || status === 401 ? 'There is no page here' : 'Agent Treasury'}</h1>
  <p>${status === 401 ? hint(path) : escaped(message)}</p>
  ${path === '/' ? '' : '<p><a href="/">Go to the dashboard</a></p>'}
</html>
`;

export const errorPagePolicy =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
