// How an agent is connected. The page's entry for each MCP host equals what `treasury mcp install` writes, in the same place.
// And the agent for which a bridge acts: by an API key in a private file in place of one in the environment, by the command
// and the variables that a checkout names, and by a key that its agent has delegated.
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverName } from '../../server/cli/install/format.ts';
import { mcpHosts } from '../../server/cli/install/hosts.ts';
import { readIdentity } from '../../server/client/identity.ts';
import { useFolders } from '../harness/folders.ts';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { envOf, openBridge } from './bridge.ts';

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

describe('the API key of a bridge', () => {
  const newFolder = useFolders();
  let treasury: Treasury;
  let agent: TestAgent;
  beforeAll(async () => {
    treasury = await openTreasury();
    agent = await deploy(treasury.client, 'scout');
  });
  afterAll(() => treasury.close());

  const keyFile = (mode: number): string => {
    const file = join(newFolder(), 'key');
    writeFileSync(file, `${agent.key}\n`);
    chmodSync(file, mode);
    return file;
  };
  const envWith = (file: string): Record<string, string> => {
    const { TREASURY_API_KEY: _, ...env } = envOf(agent, treasury);
    return { ...env, TREASURY_API_KEY_FILE: file };
  };

  it('lets the bridge in', async () => {
    const bridge = await openBridge(envWith(keyFile(0o600)));
    expect((await bridge.call('check_balance')).isError).toBe(false);
    await bridge.close();
  });

  it.skipIf(process.platform === 'win32').each([0o640, 0o604, 0o620])(
    'that others can open is refused with what to do: mode %i',
    (mode) => {
      const file = keyFile(mode);
      expect(() => readIdentity(envWith(file))).toThrow(`chmod 600 ${file}`);
    },
  );

  it.each(['\n', '\r\n', ' \t'])(
    'in the environment may end in white space, which is no part of it: %j',
    (end) => {
      const { TREASURY_API_KEY: key = '', ...env } = envOf(agent, treasury);
      expect(readIdentity({ ...env, TREASURY_API_KEY: `${key}${end}` }).apiKey).toBe(agent.key);
    },
  );

  it('that is empty is named, in the environment and in a file', () => {
    const { TREASURY_API_KEY: _, ...env } = envOf(agent, treasury);
    expect(() => readIdentity({ ...env, TREASURY_API_KEY: '\n' })).toThrow('TREASURY_API_KEY: is empty.');
    const file = keyFile(0o600);
    writeFileSync(file, '\n');
    expect(() => readIdentity(envWith(file))).toThrow('TREASURY_API_KEY_FILE: is empty.');
  });

  it('that is not there is named', () => {
    const file = join(newFolder(), 'gone');
    expect(() => readIdentity(envWith(file))).toThrow(`TREASURY_API_KEY_FILE: ${file} cannot be read.`);
  });

  it('is that of an agent which is named as well, or to which this machine is linked', () => {
    const home = newFolder();
    const linked = { agentId: 'scout', apiKey: agent.key, walletAddress: agent.wallet, linkedAt: 'today' };
    mkdirSync(join(home, 'agent-treasury'));
    writeFileSync(join(home, 'agent-treasury/agent.json'), JSON.stringify(linked), { mode: 0o600 });
    const identify = (env: NodeJS.ProcessEnv) => readIdentity({ XDG_CONFIG_HOME: home, ...env }, 'linux');
    for (const env of [{}, { TREASURY_AGENT_ID: 'scout' }, { TREASURY_API_KEY: agent.key }])
      expect(identify(env)).toMatchObject({ agentId: 'scout', apiKey: agent.key });
    for (const env of [{ TREASURY_AGENT_ID: 'careful' }, { TREASURY_API_KEY: 'atk_other' }])
      expect(() => identify(env)).toThrow('Set both, or neither.');
  });

  it.skipIf(process.platform === 'win32')(
    'is not taken from an agent.json that leads to a file for all',
    () => {
      const home = newFolder();
      const open = join(newFolder(), 'open.json');
      writeFileSync(
        open,
        JSON.stringify({ agentId: 'scout', apiKey: agent.key, walletAddress: '', linkedAt: '' }),
      );
      chmodSync(open, 0o644);
      mkdirSync(join(home, 'agent-treasury'));
      const file = join(home, 'agent-treasury/agent.json');
      symlinkSync(open, file);
      expect(() => readIdentity({ XDG_CONFIG_HOME: home }, 'linux')).toThrow(
        `agent.json: ${file} can be read by others`,
      );
    },
  );

  it('is that of a bridge which starts with the command, the arguments and the variables that the treasury names', async () => {
    const { command, args, env } = (await treasury.client.get('/v1/about')).body['bridge'];
    const bridge = await openBridge({ ...env, ...envOf(agent, treasury) }, 'modern', { command, args });
    expect((await bridge.call('check_balance')).isError).toBe(false);
    await bridge.close();
  });

  it('delegate_budget asks for the owner’s word first, and then gives a key that pays within its limits', async () => {
    const lead = await deploy(treasury.client, 'lead');
    const bridge = await openBridge(envOf(lead, treasury));
    const wanted = { label: 'weather of one day', hours: 2, totalBudget: '0.03' };
    const refused = await bridge.call('delegate_budget', wanted);
    expect(refused.text).toContain('Tell your user: the owner has to let this agent delegate keys.');
    await treasury.client.post('/v1/agents/lead/delegation', { allowed: true });
    const { content } = await bridge.call('delegate_budget', wanted);
    expect(content).toMatchObject({ apiKey: expect.stringMatching(/^atk_/), spendable: '0.03' });
    await bridge.close();

    const key = String(content['apiKey']);
    const sub = await openBridge(envOf({ agentId: 'lead', key }, treasury));
    const url = `${treasury.host.url}/sandbox/weather?city=Oslo`;
    expect((await sub.call('check_balance')).content['balance']).toBe('0.03');
    expect((await sub.call('paid_fetch', { url })).content).toMatchObject({ status: 200 });
    const left = Number((await sub.call('check_balance')).content['balance']);
    expect(left).toBeLessThan(0.03);
    const dear = await sub.call('pay', { service: 'sandbox-weather', amount: '0.04' });
    expect([dear.isError, dear.content['code']]).toEqual([true, 'total_budget']);
    const own = await sub.call('set_policy', { dailyBudget: '1' });
    expect([own.isError, own.content['code']]).toEqual([true, 'forbidden']);
    await treasury.client.post('/v1/agents/lead/kill');
    const ended = await sub.call('pay', { service: 'sandbox-weather', amount: '0.01' });
    expect([ended.isError, ended.content['code']]).toEqual([true, 'unauthorized']);
    expect(sub.stderr()).toBe('');
    await sub.close();
  });
});
