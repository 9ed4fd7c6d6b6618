// The server that the proxy's arguments name, or a variable where secrets must not be read by others.
import { expect, it } from 'vitest';
import { wrappedBy } from '../../../server/mcp/proxy/command.ts';

const none = { header: [] };
const server = (value: unknown) => ({
  TREASURY_SERVER: typeof value === 'string' ? value : JSON.stringify(value),
});
const url = 'https://mcp.example.com/mcp?k=1';

it('is the one of the variable where the arguments name none', () => {
  expect(wrappedBy([], none, server({ url, headers: { Authorization: 'Bearer a: b' } }))).toEqual({
    url: new URL(url),
    headers: { Authorization: 'Bearer a: b' },
  });
});

it('is that of the arguments where they name one', () => {
  const kept = server({ url, headers: {} });
  expect(wrappedBy(['npx', 'x'], { ...none, name: 'x' }, kept)).toEqual({ name: 'x', command: ['npx', 'x'] });
  const other = 'https://other.example/';
  expect(wrappedBy([], { ...none, url: other }, kept)).toEqual({ url: new URL(other), headers: {} });
});

it.each([
  ['', 'must be JSON'],
  ['{', 'must be JSON'],
  [{ url }, 'must be JSON'],
  [{ url, headers: { a: 1 } }, 'must be JSON'],
  [{ url, headers: {}, more: 1 }, 'must be JSON'],
  [{ url: 'ftp://a.example', headers: {} }, 'must be an https URL'],
  [{ url, headers: { 'a b': 'c' } }, 'must be written as'],
])('is refused in the form %j', (value, why) => {
  expect(() => wrappedBy([], none, server(value))).toThrow(why);
});
