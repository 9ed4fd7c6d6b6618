// A stop that the database cannot record: it holds at once, and after a restart, until the owner lifts it. Its marker is on
// disk before anybody is told of it: written once, in place, and synced.
import fs, { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTo } from '../../server/lib/files/owner-only.ts';
import { openStopMarker } from '../../server/store/records/stop-marker.ts';
import { useFolders } from '../harness/folders.ts';
import { fillDisk } from '../harness/engine/full-disk.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';

const newFolder = useFolders();
const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).toReversed()) await one();
});

const open = async (dataDir: string): Promise<Treasury> => {
  const treasury = await openTreasury({ dataDir });
  undo.push(treasury.close);
  return treasury;
};
const full = (): (() => void) => {
  const free = fillDisk();
  undo.push(free);
  return free;
};
const withAgents = async (): Promise<Treasury & { scout: TestAgent; other: TestAgent }> => {
  const treasury = await open(newFolder());
  const scout = await deploy(treasury.client, 'scout');
  return { ...treasury, scout, other: await deploy(treasury.client, 'other') };
};
const again = async ({ dataDir, close }: Treasury): Promise<Treasury> => {
  await close();
  return open(dataDir);
};
const markerOf = ({ dataDir }: Pick<Treasury, 'dataDir'>): string => join(dataDir, 'sandbox', 'stop.marker');
const codeOf = async (agent: TestAgent, at: Treasury): Promise<unknown> => {
  const client = at.client.as(agent.key);
  const body = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
  const answer = await client.post(`/v1/agents/${agent.agentId}/pay`, body);
  return answer.body['code'] ?? answer.status;
};
const signed = ({ host }: Treasury): number =>
  [...host.engine.context.store.transfers.iterate({ kinds: ['payment'] })].filter((row) => row.signed).length;

describe('a stop pressed on a full disk', () => {
  it.each(['which is met by the stop', 'after the treasury has halted'])(
    '%s holds after a restart',
    async (when) => {
      const treasury = await withAgents();
      const { client, scout } = treasury;
      expect(await codeOf(scout, treasury)).toBe(200);
      const free = full();
      if (when.startsWith('after')) expect(await codeOf(scout, treasury)).toBe('halted');
      const size = statSync(markerOf(treasury)).size;
      const before = Date.now();
      const stopped = await client.post('/v1/freeze');
      const reason = 'the owner pressed stop while the disk failed';
      expect([stopped.status, stopped.body]).toMatchObject([200, { frozen: true, reason }]);
      const since = String(stopped.body['since']);
      expect(Math.abs(Date.parse(since) - before)).toBeLessThan(60_000);
      expect(await codeOf(scout, treasury)).toBe('halted');
      expect((await client.get('/v1/dashboard')).body).toMatchObject({
        frozen: true,
        freeze: { since, reason },
      });
      expect(statSync(markerOf(treasury)).size).toBe(size);
      free();

      const restarted = await again(treasury);
      expect((await restarted.client.get('/v1/dashboard')).body).toMatchObject({
        halted: null,
        freeze: { since, reason },
      });
      expect(await codeOf(scout, restarted)).toBe('frozen');
      // The records hold it now, and so does the marker until the owner lifts it.
      expect(restarted.host.engine.context.store.freeze.get()).toEqual({ since: Date.parse(since), reason });
      const third = await again(restarted);
      expect(await codeOf(scout, third)).toBe('frozen');
      expect(signed(third)).toBe(1);
      expect(JSON.parse(readFileSync(markerOf(third), 'utf8'))).toEqual({
        stop: { since: Date.parse(since), reason },
      });

      expect((await third.client.post('/v1/unfreeze')).body).toMatchObject({ frozen: false, reason: null });
      expect(await codeOf(scout, third)).toBe(200);
      expect(await codeOf(scout, await again(third))).toBe(200);
    },
  );

  it('holds after a restart even if another marker has replaced the former one', async () => {
    const treasury = await withAgents();
    const copy = readFileSync(markerOf(treasury));
    rmSync(markerOf(treasury));
    writeFileSync(markerOf(treasury), copy);
    const free = full();
    expect((await treasury.client.post('/v1/freeze')).status).toBe(200);
    free();
    const restarted = await again(treasury);
    expect(await codeOf(treasury.scout, restarted)).toBe('frozen');
    await restarted.client.post('/v1/unfreeze');
    expect(await codeOf(treasury.scout, await again(restarted))).toBe(200);
  });

  it('says that it was not recorded, and what to do, when the marker cannot be written either', async () => {
    const treasury = await withAgents();
    full();
    const { stopMarker } = treasury.host.engine.context;
    const { set } = stopMarker;
    stopMarker.set = (stop) => {
      set(stop);
      throw new Error('ENOSPC');
    };
    const answer = await treasury.client.post('/v1/freeze');
    expect([answer.status, answer.body['code'], answer.body['details']]).toEqual([
      503,
      'halted',
      { recorded: false },
    ]);
    expect(answer.body['error']).toMatch(/^The stop was not recorded.*end the program/);
  });

  it('of one agent stops everything, names the agent, and does not claim that the agent is suspended', async () => {
    const treasury = await withAgents();
    const { client, scout, other } = treasury;
    const free = full();
    const killed = await client.post('/v1/agents/scout/kill');
    expect([killed.status, killed.body['code']]).toEqual([503, 'halted']);
    expect(killed.body['error']).toContain('Everything is stopped instead');
    free();
    const restarted = await again(treasury);
    expect(await codeOf(scout, restarted)).toBe('frozen');
    expect(await codeOf(other, restarted)).toBe('frozen');
    const { body } = await restarted.client.get('/v1/dashboard');
    expect(body['freeze'].reason).toBe('the agent scout was stopped while the disk failed');
  });

  it('cannot be lifted there, and stays when the marker cannot be written', async () => {
    const treasury = await withAgents();
    const free = full();
    await treasury.client.post('/v1/freeze');
    expect((await treasury.client.post('/v1/unfreeze')).body['code']).toBe('halted');
    free();
    const restarted = await again(treasury);
    const { stopMarker } = restarted.host.engine.context;
    const { clear } = stopMarker;
    stopMarker.clear = () => {
      throw new Error('EIO');
    };
    expect((await restarted.client.post('/v1/unfreeze')).body['error']).toContain('Everything stays stopped');
    expect(await codeOf(treasury.scout, restarted)).toBe('frozen');
    stopMarker.clear = clear;
    expect((await restarted.client.post('/v1/unfreeze')).status).toBe(200);
    expect(await codeOf(treasury.scout, restarted)).toBe(200);
  });
});

describe('a stop whose transaction throws an unexpected error', () => {
  it.each(['freeze', 'kill'])(
    'by %s holds at once and after a restart, and waiting requests are cancelled',
    async (by) => {
      const treasury = await withAgents();
      const { client, scout, host } = treasury;
      const { store, chain } = host.engine.context;
      await client.post('/v1/agents/scout/policy', { approveAbove: '0.5' });
      const held = await scout.pay('0.6');
      const { lifetime } = chain;
      const gate = Promise.withResolvers<void>();
      chain.lifetime = () => gate.promise.then(lifetime);
      const paying = scout.pay('0.1');
      await until('the reservation', () => store.transfers.open().length === 1);

      const { open: openRows } = store.transfers;
      store.transfers.open = () => {
        throw new Error('nobody expected this');
      };
      const stopped = await client.post(by === 'freeze' ? '/v1/freeze' : '/v1/agents/scout/kill');
      expect([stopped.status, stopped.body['details']]).toMatchObject([503, { recorded: true }]);
      expect(stopped.body['error']).toMatch(/^Everything is stopped|Everything is stopped instead/);
      store.transfers.open = openRows;
      chain.lifetime = lifetime;
      gate.resolve();
      expect((await paying).body['code']).toBe('frozen');
      expect(await codeOf(treasury.other, treasury)).toBe('frozen');
      expect(store.freeze.get()).toBeNull();
      expect(signed(treasury)).toBe(0);

      if (by === 'kill') {
        const restarted = await again(treasury);
        expect(await codeOf(scout, restarted)).toBe('frozen');
      } else {
        expect((await client.post('/v1/unfreeze')).status).toBe(200);
        const { body } = await scout.client.get(`/v1/approvals/${held.body['approvalId']}`);
        expect(body['status']).toBe('cancelled');
        expect(await codeOf(scout, treasury)).toBe(200);
      }
    },
  );

  it('keeps a payment that was signed and not sent from ever being sent', async () => {
    const treasury = await withAgents();
    const { client, scout, host } = treasury;
    const { store, chain } = host.engine.context;
    let sends = 0;
    const { broadcast } = chain;
    chain.broadcast = (wire) => {
      sends += 1;
      return broadcast(wire);
    };
    const { grouped } = store;
    const stopping = Promise.withResolvers<ReturnType<typeof client.post>>();
    // The stop comes between signing and sending.
    store.grouped = (work) => {
      const done = grouped(work);
      const row = store.transfers.open().find(({ state }) => state === 'signed');
      if (row === undefined) return done;
      store.grouped = grouped;
      const durable = done.durable.then(async () => {
        const { set } = store.freeze;
        store.freeze.set = () => {
          throw new Error('nobody expected this');
        };
        stopping.resolve(client.post('/v1/freeze'));
        await stopping.promise;
        store.freeze.set = set;
      });
      return { ...done, durable };
    };
    const { body } = await scout.pay('0.1', { prefer: 'wait=0' });
    expect((await stopping.promise).body['frozen']).toBe(true);
    const id = String(body['paymentId']);
    await until('its end', () => store.transfers.get(id)?.state === 'unknown');
    await client.post('/v1/unfreeze');
    const restarted = await again(treasury);
    expect(restarted.host.engine.context.store.transfers.get(id)?.state).not.toBe('final');
    expect(sends).toBe(0);
  });
});

describe('a stop marker', () => {
  let lived: Awaited<ReturnType<typeof withAgents>>;
  beforeAll(async () => {
    lived = await withAgents();
    await lived.close();
  });
  const damages = {
    'that is gone': (file: string) => rmSync(file),
    'that is empty': (file: string) => truncateSync(file, 0),
    'that was cut off': (file: string) => truncateSync(file, 2_048),
    'of which a sector is another': (file: string) => {
      const bytes = readFileSync(file);
      bytes.fill('x', 1_024, 1_536);
      writeFileSync(file, bytes);
    },
    'that says something else': (file: string) => writeFileSync(file, '{"stop":false}'.padEnd(4_096)),
  };

  it.each(Object.entries(damages))(
    '%s is obeyed as a stop, and made anew by unfreeze',
    async (title, damage) => {
      damage(markerOf(lived));
      const restarted = await open(lived.dataDir);
      expect(await codeOf(lived.scout, restarted)).toBe('frozen');
      const { freeze } = (await restarted.client.get('/v1/dashboard')).body;
      expect(freeze.reason).toContain(
        title === 'that is gone' ? 'stop.marker in the data folder is missing' : 'cannot be read',
      );
      expect(freeze.reason).toContain('did not press it, unfreeze');
      // It stays until the owner unfreezes: a further start does not make it anew.
      const third = await again(restarted);
      expect(await codeOf(lived.scout, third)).toBe('frozen');
      await third.client.post('/v1/unfreeze');
      expect(await codeOf(lived.scout, await again(third))).toBe(200);
    },
  );

  it('is made at the first start, for this user alone, and beside a database that never had one', async () => {
    const treasury = await withAgents();
    const marker = markerOf(treasury);
    expect([statSync(marker).size, openTo(marker)]).toEqual([4_096, null]);
    await treasury.close();
    rmSync(markerOf(treasury));
    // As version 0.1 left it.
    const db = new Database(join(treasury.dataDir, 'sandbox', 'treasury.db'));
    db.exec(`DELETE FROM meta WHERE name = 'stop-marker'`);
    db.close();
    const upgraded = await open(treasury.dataDir);
    expect(existsSync(markerOf(treasury))).toBe(true);
    expect(await codeOf(treasury.scout, upgraded)).toBe(200);
  });

  it('that was set before the database was lost still stops', async () => {
    const treasury = await withAgents();
    full()();
    treasury.host.engine.context.stopMarker.set({
      since: 5,
      reason: 'the owner pressed stop while the disk failed',
    });
    await treasury.close();
    const db = new Database(join(treasury.dataDir, 'sandbox', 'treasury.db'));
    db.exec(`DELETE FROM meta WHERE name = 'stop-marker'`);
    db.close();
    expect(await codeOf(treasury.scout, await open(treasury.dataDir))).toBe('frozen');
  });
});

const emptyStore = () => {
  const values = new Map<string, string>();
  const meta = {
    get: (name: string) => values.get(name),
    set: (name: string, to: string) => void values.set(name, to),
  };
  return { meta, atomically: <T>(work: () => T): T => work() };
};

describe('the file of the marker', () => {
  const calls: string[] = [];
  beforeEach(() => {
    const { writeSync, fsyncSync } = fs;
    undo.push(() => {
      Object.assign(fs, { writeSync, fsyncSync });
      syncBuiltinESMExports();
    });
    Object.assign(fs, {
      writeSync(...args: [fd: number, bytes: Buffer, from: number, length: number, at: number]) {
        const [, , , length, at] = args;
        calls.push(`write ${length} at ${at}`);
        return writeSync(...args);
      },
      fsyncSync(fd: number) {
        calls.push('sync');
        fsyncSync(fd);
      },
    });
    syncBuiltinESMExports();
  });

  it('is written over what is there and synced when it is set, and when it is cleared', () => {
    const folder = newFolder();
    const store = emptyStore();
    const marker = openStopMarker(folder, store, Date.now);
    const file = join(folder, 'stop.marker');
    const { ino, size } = statSync(file);
    calls.length = 0;
    // A reason of any length and characters.
    marker.set({ since: 7, reason: '\u0000"é😀'.repeat(2_000) });
    expect(calls).toEqual([`write ${size} at 0`, 'sync']);
    expect(statSync(file)).toMatchObject({ ino, size });
    marker.close();

    const reopened = openStopMarker(folder, store, Date.now);
    expect(reopened.get()?.reason.startsWith('\u0000"é😀')).toBe(true);
    calls.length = 0;
    reopened.clear();
    expect([calls, reopened.get()]).toEqual([[`write ${size} at 0`, 'sync'], null]);
    expect(readFileSync(file, 'utf8').trim()).toBe('{"stop":null}');
    // Nothing is written when there is nothing to clear.
    reopened.clear();
    expect(calls).toHaveLength(2);
    reopened.close();
  });

  it('that cannot be made ends the start, with what to do', () => {
    const store = emptyStore();
    const opening = (): unknown => openStopMarker(join(newFolder(), 'missing'), store, Date.now);
    expect(opening).toThrow(/stop\.marker could not be written .*\(ENOENT\)\. Free space/);
    // The next start makes it, and does not treat it as lost.
    expect(store.meta.get('stop-marker')).toBeUndefined();
  });
});
