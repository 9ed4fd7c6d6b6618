// The page's entry for each MCP host equals what `treasury mcp install` writes, in the same place.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { serverName } from '../../server/cli/install/format.ts';
import { mcpHosts } from '../../server/cli/install/hosts.ts';

const page = readFileSync(new URL('../../build/docs/connecting-agents.md', import.meta.url), 'utf8');
const [, afterHeading = ''] = page.split('\n## By hand\n');
const [section = ''] = afterHeading.split('\n## ');

/** The placeholders that an owner replaces. */
const config = {
  command: '/path/to/treasury-mcp',
  args: [],
  env: { TREASURY_OWNER: 'the treasury’s wallet', TREASURY_AGENT_ID: 'scout', TREASURY_API_KEY: 'atk_…' },
};
const entries = section.split('\n### ').slice(1);
const entryOf = (name: string, id: string): string => {
  const heading = `${name} (\`${id}\`)\n`;
  const [entry, ...more] = entries.filter((text) => text.startsWith(heading));
  if (entry === undefined || more.length > 0) throw new Error(`one entry for ${name} was expected`);
  return entry;
};

it('has an entry for each host that the command knows, and no other', () => {
  expect(mcpHosts.map(({ name, id }) => entryOf(name, id))).toEqual(entries);
});

it.each(mcpHosts)('shows for $name what the command writes', ({ name, id, format, entry }) => {
  const block = /^```(\w+)\n([^]*?)^```$/m.exec(entryOf(name, id));
  const text = block?.[2]?.trimEnd() ?? '';
  const values = entry(serverName, config);
  if (block?.[1] === 'json') expect(JSON.parse(text)).toEqual(JSON.parse(format.whole(serverName, values)));
  else expect(text).toBe(format.whole(serverName, values));
  const written = format.edit('', serverName, values);
  if ('refused' in written) throw new Error(written.refused);
  // The pasted entry is where the command looks for it.
  expect(format.find(text, serverName)?.trim().replaceAll(/\s+/g, ' ')).toBe(
    format.find(written.text, serverName)?.trim().replaceAll(/\s+/g, ' '),
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

it('names the variables that the bridge understands', () => {
  for (const words of ['x402', 'MPP', 'paid_fetch', 'find_service']) expect(page).toContain(words);
});

it('counts the hosts in the README', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(mcpHosts).toHaveLength(8);
  expect(readme).toContain('has the other seven hosts');
  expect(mcpHosts.map(({ id }) => id)).toContain(/mcp install ([\w-]+)/.exec(readme)?.[1]);
});
