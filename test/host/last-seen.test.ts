// When agents and their keys were last heard of: told to the owner as it happens, and remembered over a restart.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLastSeen } from '../../server/host/last-seen.ts';
import { useFolders } from '../harness/folders.ts';
import { deploy, openTreasury, type Treasury } from '../harness/treasury.ts';

const newFolder = useFolders();
const minute = 60_000;
const keysOf = async ({ client }: Treasury) => (await client.get('/v1/agents/scout/keys')).body['keys'];
const agentOf = async ({ client }: Treasury) => (await client.get('/v1/dashboard')).body['agents'][0];

describe('what is news', () => {
  it('is the first call of an agent or of a key, and one after a quiet minute', () => {
    const seen = createLastSeen(null);
    expect(seen.of('scout')).toBeNull();
    expect(seen.note(['scout', 'key_1'], 1_000)).toBe(true);
    expect(seen.note(['scout', 'key_1'], 1_000 + minute - 1)).toBe(false);
    expect(seen.note(['scout', 'key_2'], 1_000 + minute)).toBe(true);
    expect(seen.note(['scout', 'key_1'], 1_000 + 2 * minute - 1)).toBe(true);
    expect([seen.of('key_1'), seen.of('key_2')]).toEqual([1_000 + 2 * minute - 1, 1_000 + minute]);
  });
});

describe('the file', () => {
  it('is written at most once a minute, and at the end, for this user alone', () => {
    const file = join(newFolder(), 'last-seen.json');
    const seen = createLastSeen(file);
    seen.note(['scout'], minute);
    seen.note(['scout'], minute + 5);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ scout: minute });
    seen.close();
    expect(createLastSeen(file).of('scout')).toBe(minute + 5);
  });

  it.each(['', '{', '[1]', '{"scout":"x"}'])('of nonsense is an empty one: %j', (text) => {
    const file = join(newFolder(), 'last-seen.json');
    writeFileSync(file, text);
    const seen = createLastSeen(file);
    expect(seen.of('scout')).toBeNull();
    expect(seen.note(['scout'], minute)).toBe(true);
  });

  it('that cannot be written keeps nobody from calling', () => {
    const folder = newFolder();
    const blocked = join(folder, 'a-file');
    writeFileSync(blocked, '');
    const seen = createLastSeen(join(blocked, 'last-seen.json'));
    expect(seen.note(['scout'], minute)).toBe(true);
    expect(seen.of('scout')).toBe(minute);
    seen.close();
  });
});

describe('the owner', () => {
  it('sees of each agent and each key when it last called, also after a restart, and hears of it once', async () => {
    const dataDir = newFolder();
    let treasury = await openTreasury({ dataDir });
    const agent = await deploy(treasury.client, 'scout', { allocate: null });
    const { body: other } = await treasury.client.post('/v1/agents/scout/keys');
    expect((await agentOf(treasury)).lastSeenAt).toBeNull();
    const heard: string[] = [];
    treasury.host.engine.onEvent(({ type }) => heard.push(type));

    const before = Date.now();
    for (let call = 0; call < 5; call += 1) await agent.client.get('/v1/agents/scout/policy');
    expect((await treasury.client.as('atk_none').get('/v1/agents/scout/policy')).status).toBe(401);
    expect(heard).toEqual(['agent']);
    const { lastSeenAt } = await agentOf(treasury);
    expect(Date.parse(lastSeenAt)).toBeGreaterThanOrEqual(before);
    const byKey = Object.fromEntries(
      (await keysOf(treasury)).map((key: Record<string, unknown>) => [key['keyId'], key['lastSeenAt']]),
    );
    expect(byKey[other['keyId']]).toBeNull();
    expect(Object.values(byKey).filter((at) => at === lastSeenAt)).toHaveLength(1);

    await treasury.close();
    treasury = await openTreasury({ dataDir });
    expect((await agentOf(treasury)).lastSeenAt).toBe(lastSeenAt);
    await treasury.close();
  });
});
