// The texts of the dashboard for curl, TypeScript and Python, each run as a person would paste it.
import { spawn, spawnSync } from 'node:child_process';
import { text as textOf } from 'node:stream/consumers';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { languages, type Purchase } from '../../renderer/screens/connect/programs.ts';
import { useFolders } from '../harness/folders.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';

const newFolder = useFolders();
let treasury: Treasury;
let agent: TestAgent;
beforeAll(async () => {
  treasury = await openTreasury();
  // As the form for a new agent proposes it.
  agent = await deploy(treasury.client, 'scout', { policy: { newPayees: 'approve' } });
});
afterAll(() => treasury.close());

const textFor = (id: string, apiKey = agent.key): string => {
  const language = languages.find((one) => one.id === id);
  if (language === undefined) throw new Error(`no language ${id}`);
  const { url } = treasury.host;
  const purchase: Purchase = {
    agentId: 'scout',
    owner: treasury.owner,
    apiKey,
    treasury: url,
    url: `${url}/sandbox/weather?city=Lisbon`,
  };
  return language.text(purchase);
};

/** Runs a program, with the lines that the person types. */
const runs = async (command: string, args: readonly string[], typed = ''): Promise<string> => {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(typed);
  const [out, err] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  return out + err;
};
const has = (command: string): boolean => spawnSync(command, ['--version']).error === undefined;
const file = (name: string, text: string): string => {
  const path = join(newFolder(), name);
  writeFileSync(path, text);
  return path;
};

const programs: Record<string, { command: string; run(text: string, key: string): Promise<string> }> = {
  curl: { command: 'curl', run: (text, key) => runs('bash', ['-c', text], `${key}\n`) },
  typescript: {
    command: process.execPath,
    run: (text) => runs(process.execPath, [file('first-call.mts', text)]),
  },
  python: { command: 'python3', run: (text) => runs('python3', [file('first_call.py', text)]) },
};

const allow = async (): Promise<void> => {
  const waiting = await until('the question', async () => {
    const { approvals } = (await treasury.client.get('/v1/approvals')).body;
    return approvals.find(({ status }: { status: string }) => status === 'pending');
  });
  await treasury.client.post(`/v1/approvals/${waiting.approvalId}/grant`, { hash: waiting.hash });
};
const payments = async (): Promise<number> =>
  (await agent.client.get('/v1/agents/scout/spend-history')).body['payments'].length;

describe.each(Object.entries(programs))('%s', (id, { command, run }) => {
  it.skipIf(!has(command))(
    'buys its first answer, and waits for the owner where the policy wants that',
    async () => {
      const before = await payments();
      const running = run(textFor(id), agent.key);
      // The payee is known after the first purchase of all.
      if (before === 0) await allow();
      const answer = await running;
      expect(answer).toContain('Lisbon');
      expect(answer).toContain('"status":"confirmed"');
      expect(await payments()).toBe(before + 1);
    },
  );

  it.skipIf(!has(command))('shows why a call was refused', async () => {
    const answer = await run(textFor(id, 'atk_none'), 'atk_none');
    expect(answer).toContain('"code":"unauthorized"');
  });
});

it('keeps the key out of what a shell remembers, and out of the arguments of curl', () => {
  expect(textFor('curl')).not.toContain('atk_');
  expect(textFor('curl')).toContain('-H @-');
});

it('has a test for each language', () => {
  expect(Object.keys(programs)).toEqual(languages.map(({ id }) => id));
});
