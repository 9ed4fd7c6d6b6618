// The README's entry for each MCP host is what `treasury mcp install` writes, and stands where it writes it.
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { mcpHosts } from '../../server/cli/install/hosts.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const [, afterHeading = ''] = readme.split('### Connect your agent\n');
const [section = ''] = afterHeading.split('\n### ');

/** What an owner puts into the place of the words there. */
const config = {
  command: '/path/to/treasury-mcp',
  args: [],
  env: { TREASURY_OWNER: 'the treasury’s wallet', TREASURY_AGENT_ID: 'scout', TREASURY_API_KEY: 'atk_…' },
};
const entries = section.split('<details>').slice(1);
const entryOf = (name: string, id: string): string => {
  const heading = `<summary>${name} (<code>${id}</code>)</summary>`;
  const [entry, ...more] = entries.filter((text) => text.includes(heading));
  if (entry === undefined || more.length > 0) throw new Error(`one entry for ${name} was expected`);
  return entry;
};

it('has an entry for each host that the command knows, and no other', () => {
  expect(mcpHosts.map(({ name, id }) => entryOf(name, id))).toEqual(entries);
});

it.each(mcpHosts)('shows for $name what the command writes', ({ name, id, format }) => {
  const block = /^```(\w+)\n([^]*?)^```$/m.exec(entryOf(name, id));
  const text = block?.[2]?.trimEnd() ?? '';
  if (block?.[1] === 'json') expect(JSON.parse(text)).toEqual(JSON.parse(format.whole(config)));
  else expect(text).toBe(format.whole(config));
  const written = format.edit('', config);
  if ('refused' in written) throw new Error(written.refused);
  // Who pastes it as it stands has the entry where the command looks for it.
  expect(format.find(text)?.trim().replaceAll(/\s+/g, ' ')).toBe(
    format.find(written.text)?.trim().replaceAll(/\s+/g, ' '),
  );
});

it.each(mcpHosts)('names for $name the file that the command writes', ({ name, id, file }) => {
  for (const [platform, env] of [
    ['linux', {}],
    ['darwin', {}],
    ['win32', { APPDATA: '%APPDATA%' }],
  ] as const) {
    const path = file({ platform, env, home: '~' });
    const shown = entryOf(name, id).replaceAll('\\', '/');
    const [folder, last] = [path.slice(0, -basename(path).length - 1), basename(path)];
    expect(
      shown.includes(path) || (shown.includes(`\`${folder}\``) && shown.includes(`\`${last}\``)),
      path,
    ).toBe(true);
  }
});

it('names what the bridge understands, and links what it says of paying and selling', () => {
  for (const words of ['x402', 'MPP', 'paid_fetch', 'find_service']) expect(section).toContain(words);
  for (const page of ['build/docs/paid-apis.md', 'build/docs/paywall.md']) {
    expect(readme).toContain(`(${page})`);
    expect(existsSync(new URL(`../../${page}`, import.meta.url))).toBe(true);
  }
});

it('shows the paywall as its own page does', () => {
  const page = readFileSync(new URL('../../build/docs/paywall.md', import.meta.url), 'utf8');
  const [, shown = ''] = /```ts\n(import express[^]*?)```/.exec(readme) ?? [];
  const lines = shown.split('\n').filter((line) => /agent-treasury-paywall|price:|store:/.test(line));
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(page).toContain(line);
});

it('names scripts that there are', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = [...readme.matchAll(/npm run (?:-s )?([\w-]+)/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});
