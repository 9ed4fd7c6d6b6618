// Sellers' answers: how large and slow they may be, where they are kept, and who may read them. And their room: places for
// running fetches, 64 MiB for answers, the disk; and the agreement of the answers' files with the database.
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTo } from '../../server/lib/files/owner-only.ts';
import { useFolders } from '../harness/folders.ts';
import { makeOlder } from '../harness/engine/older-database.ts';
import { openBeside, openRich, seller, useSeller } from '../harness/chain/seller-treasury.ts';
import { deploy, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { deliver, type Shown } from '../harness/chain/x402-seller.ts';

const mebibyte = 1024 * 1024;
const dataDir = useFolders()();
useSeller();
const network = join(dataDir, 'sandbox');
const folder = join(network, 'answers');
const disk = { free: Infinity, freeBytes: () => disk.free };
const options = { dataDir, disk, sockets: 64 };
let treasury: Treasury;
let agent: TestAgent;
let n = 0;

beforeAll(async () => {
  treasury = await openRich(options);
});
afterAll(() => treasury.close());
beforeEach(async () => {
  n += 1;
  disk.free = Infinity;
  agent = await deploy(treasury.client, `reader-${n}`, { allocate: '1.00' });
});

const open = async (): Promise<void> => {
  treasury = await openBeside(options);
  agent = { ...agent, client: treasury.client.as(agent.key) };
};
const store = () => treasury.host.engine.context.store;
/** Oldest first. */
const rows = () =>
  [...store().transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] })].toSorted(
    (x, y) => x.seq - y.seq,
  );
const row = () => {
  const [only, ...others] = rows();
  if (only === undefined || others.length > 0) throw new Error(`${rows().length} payments`);
  return only;
};
const payment = (id = row().id) => `/v1/agents/${agent.agentId}/payments/${id}`;
const fetch = (key: string, body: object = {}, sent: { prefer?: string } = {}) =>
  agent.client.post(
    `/v1/agents/${agent.agentId}/fetch`,
    { url: `${seller.url}/data?of=${n}`, ...body },
    { key, ...sent },
  );
const receivedAt = () => store().answers.get(row().id)?.receivedAt ?? null;
const areKept = (count = 1) =>
  until(`${count} to be kept`, () => rows().filter(({ id }) => store().answers.get(id)).length === count);
/** A seller that settles, and then answers with these bytes. */
const saying =
  (bytes: Buffer, type = 'text/plain') =>
  async ({ settle, response }: Shown): Promise<void> => {
    await settle();
    response.setHeader('content-type', type).end(bytes);
  };

/** Sellers that wait until they are let go. */
const held = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  seller.behave = async ({ settle, response }) => {
    await settle();
    await promise;
    deliver(response, '');
  };
  return resolve;
};

const fill = async (): Promise<void> => {
  seller.behave = saying(Buffer.alloc(31 * mebibyte, 'x'));
  for (const key of ['one', 'two']) expect((await fetch(key)).status).toBe(200);
  await areKept(2);
};

describe('an answer', () => {
  it.each([
    ['nothing', Buffer.alloc(0), 'utf8'],
    ['text of many bytes a character', Buffer.from('größer 語 🌊"\\\u0000\n'.repeat(9_000)), 'utf8'],
    ['a byte order mark', Buffer.from('\uFEFFdata'), 'utf8'],
    ['bytes that are no text', randomBytes(100_001), 'base64'],
    ['text that ends in the middle of a character', Buffer.from('größe').subarray(0, 3), 'base64'],
    ['3 MiB', Buffer.alloc(3 * mebibyte, 'x'), 'utf8'],
  ])(
    'of %s comes as it is, the first time, again, after a restart and by its payment',
    async (_, bytes, as) => {
      seller.behave = saying(bytes);
      const first = await fetch('whole');
      expect([first.status, first.body['encoding']]).toEqual([200, as]);
      expect(bytes.equals(Buffer.from(first.body['body'], first.body['encoding']))).toBe(true);
      await areKept();
      const { body: again } = await fetch('whole');
      expect(bytes.equals(Buffer.from(again['body'], again['encoding']))).toBe(true);
      const file = join(folder, row().id);
      expect([statSync(file).size, openTo(file)]).toEqual([bytes.byteLength, null]);
      await treasury.close();
      await open();
      const { body: later } = await fetch('whole');
      expect(bytes.equals(Buffer.from(later['body'], later['encoding']))).toBe(true);
      expect(seller.shown).toHaveLength(1);
      expect(await agent.client.get(`${payment()}/answer`)).toMatchObject({
        status: 200,
        text: bytes.toString(),
      });
    },
  );

  it('that costs nothing may be large too, and leaves no file', async () => {
    const before = readdirSync(folder).length;
    const { body } = await fetch('free', { url: `${seller.url}/free` });
    expect(body).toMatchObject({ status: 200, body: 'free', payment: null });
    await until('no file', () => readdirSync(folder).length === before);
  });

  it('is read by its payment’s id, and is never served as a page', async () => {
    seller.behave = saying(Buffer.from('<script>1</script>'), 'text/html');
    await fetch('page');
    await areKept();
    const { headers, status } = await agent.client.get(`${payment()}/answer`);
    expect([status, headers]).toEqual([
      200,
      expect.objectContaining({
        'content-type': 'application/octet-stream',
        'x-seller-status': '200',
        'x-seller-content-type': 'text/html',
        'content-security-policy': "sandbox; default-src 'none'",
        'x-content-type-options': 'nosniff',
      }),
    ]);
  });

  it('is not marked as received by being sent or read: its client may have lost it', async () => {
    seller.behave = saying(Buffer.alloc(2 * mebibyte, 'y'));
    await fetch('told');
    await areKept();
    await fetch('told');
    expect(receivedAt()).toBeNull();
    const path = `${payment()}/answer?owner=${treasury.owner}`;
    const authorization = `Bearer ${agent.key}`;
    await new Promise<void>((resolve) => {
      request(new URL(path, treasury.host.url), { headers: { authorization } }, (response) => {
        response.once('data', () => response.destroy()).once('close', () => resolve());
      }).end();
    });
    expect(receivedAt()).toBeNull();
    await agent.client.get(`${payment()}/answer`);
    await treasury.client.get(`${payment()}/answer`);
    expect(receivedAt()).toBeNull();
  });

  it('is marked as received when its client says so', async () => {
    await fetch('word');
    await areKept();
    const { body } = await agent.client.post(`${payment()}/received`);
    expect(body).toEqual({ paymentId: row().id, received: true });
    expect(store().answers.get(row().id)?.receivedAt).not.toBeNull();
    expect((await agent.client.post(`${payment()}/received`)).status).toBe(200);
  });

  it('that is missing says why', async () => {
    seller.behave = async ({ settle, response }) => {
      await settle();
      response.destroy();
    };
    await fetch('none', {}, { prefer: 'wait=1' });
    const { status, body } = await agent.client.get(`${payment()}/answer`);
    expect([status, body['error']]).toEqual([404, expect.stringContaining('not delivered yet')]);
    seller.behave = saying(Buffer.from('at last'));
    await until('finality', () => row().state === 'final');
    await fetch('none');
    await areKept();
    store().atomically(() => store().answers.remove(row().id));
    const later = await agent.client.get(`${payment()}/answer`);
    expect([later.status, later.body['error']]).toEqual([404, expect.stringContaining('24 hours')]);
  });
});

describe('an answer beyond what its caller allows', () => {
  it.each(['announced', 'not announced'])(
    'in bytes, %s: nothing is kept, and the same payment gets the answer',
    async (how) => {
      const bytes = Buffer.alloc(mebibyte, 'z');
      seller.behave = async ({ settle, response }) => {
        await settle();
        if (how === 'announced') response.setHeader('content-length', bytes.byteLength);
        response.end(bytes);
      };
      const first = await fetch('large', { maxBytes: 1_000 });
      expect([first.status, first.body['code']]).toEqual([502, 'answer_too_large']);
      expect(first.body['details']).toMatchObject({ paymentId: row().id, field: 'maxBytes' });
      expect(existsSync(join(folder, row().id))).toBe(false);
      const second = await fetch('large', { maxBytes: 2 * mebibyte });
      expect([second.status, second.body['body']?.length]).toEqual([200, bytes.byteLength]);
      expect(new Set(seller.shown.map(({ transaction }) => transaction)).size).toBe(1);
      expect(rows()).toHaveLength(1);
    },
  );

  it('in time: the same payment gets it, and the seller’s reputation stays', async () => {
    const words = { name: 'Slow', description: '', category: 'api', pricing: {}, price: '0.01' };
    const place = { source: 'x402-marketplace', endpoint: 'GET /data', origin: seller.url } as const;
    const entry = { id: `slow-${n}`, ...words, ...place, payees: [seller.payee], vouched: true };
    store().atomically(() => store().services.upsert(entry, { addedByOwner: true }));
    const before = store().services.listed(entry.id);
    seller.offer.maxTimeoutSeconds = 1;
    seller.behave = async ({ settle }) => void (await settle());
    const first = await fetch('slow', { timeoutSeconds: 1 });
    expect([first.status, first.body['code']]).toEqual([502, 'answer_too_slow']);
    expect(store().services.listed(entry.id)).toEqual(before);
    seller.behave = saying(Buffer.from('there'));
    expect((await fetch('slow', { timeoutSeconds: 20 })).body).toMatchObject({ status: 200, body: 'there' });
    store().atomically(() => store().services.remove(entry.id));
  });

  it.each([
    ['seconds', { maxTimeoutSeconds: 400 }, {}, ['answer_too_slow', 'timeoutSeconds']],
    [
      'seconds of the caller',
      { maxTimeoutSeconds: 60 },
      { timeoutSeconds: 59 },
      ['answer_too_slow', 'timeoutSeconds'],
    ],
    ['bytes', { size: 2_000 }, { maxBytes: 1_999 }, ['answer_too_large', 'maxBytes']],
  ])('in %s, as the offer announces: nothing is paid', async (_limit, said, asked, [code, named]) => {
    const { size, ...seconds } = said as { size?: number };
    const former = seller.offer;
    const extra = size === undefined ? former.extra : { ...former.extra, contentLength: size };
    seller.offer = { ...former, ...seconds, extra };
    const answer = await fetch('announced', asked);
    seller.offer = former;
    expect([answer.status, answer.body['code']]).toEqual([502, code]);
    expect(answer.body['error']).toContain(named);
    expect(rows()).toEqual([]);
    expect(store().idempotency.find(`agent:${agent.agentId}`, 'announced')).toBeUndefined();
  });

  it.each([
    [{ timeoutSeconds: 0 }, 'timeoutSeconds: must be a whole number of seconds'],
    [{ timeoutSeconds: '5' }, 'timeoutSeconds: must be'],
    [{ maxBytes: 1.5 }, 'maxBytes: must be a whole number of bytes'],
    [{ timeoutSeconds: 301 }, 'timeoutSeconds: must be at most 300 here'],
    [{ maxBytes: 33 * mebibyte }, 'maxBytes: must be at most 33554432 here'],
  ])('cannot be asked for with %j', async (limits, said) => {
    const { status, body } = await fetch('limits', limits);
    expect([status, body['error']]).toEqual([400, expect.stringContaining(said)]);
  });

  it('is reported as still being delivered to a client that asks meanwhile', async () => {
    const { promise: gate, resolve: go } = Promise.withResolvers<void>();
    seller.behave = async ({ settle, response }) => {
      await settle();
      await gate;
      response.end('late');
    };
    const first = await fetch('meanwhile', {}, { prefer: 'wait=1' });
    expect(first.body).toMatchObject({ status: 'pending', delivering: true });
    go();
    expect((await fetch('meanwhile')).body).toMatchObject({ status: 200, body: 'late' });
    expect(seller.shown).toHaveLength(1);
  });
});

describe('an agent that is archived', () => {
  it('leaves its owner the answers that it paid for', async () => {
    expect((await fetch('a')).status).toBe(200);
    const { id } = row();
    await until('the end', () => row().state === 'final');
    expect((await treasury.client.post(`/v1/agents/${agent.agentId}/archive`)).status).toBe(200);
    expect((await treasury.client.get(payment(id))).body['status']).toBe('confirmed');
    expect((await treasury.client.get(`${payment(id)}/answer`)).status).toBe(200);
    expect((await treasury.client.post(`${payment(id)}/received`)).body['received']).toBe(true);
  });
});

describe('64 MiB of answers that no client has received', () => {
  it('are not removed for more: no seller is paid, and the key stays free; what is free still comes; received ones make room', async () => {
    await fill();
    const asked = seller.asked();
    const full = await fetch('three');
    expect([full.status, full.body['code']]).toEqual([429, 'answers_full']);
    expect([seller.asked() - asked, rows().length]).toEqual([1, 2]);
    expect((await fetch('free', { url: `${seller.url}/free` })).body['body']).toBe('free');
    expect(store().idempotency.find(`agent:${agent.agentId}`, 'three')).toBeUndefined();
    // A request for less than what is left is allowed.
    seller.behave = saying(Buffer.from('small'));
    expect((await fetch('small', { maxBytes: mebibyte })).status).toBe(200);
    const [oldest] = rows();
    await agent.client.post(`/v1/agents/${agent.agentId}/payments/${oldest?.id}/received`);
    expect((await fetch('three')).status).toBe(200);
    await until('its file to go', () => !existsSync(join(folder, oldest?.id ?? '')));
    expect(store().answers.get(oldest?.id ?? '')).toBeUndefined();
    await areKept(3);
  });

  it('are waited for while they are under way: two of 32 MiB at once, the third afterwards', async () => {
    const letGo = held();
    const asked = seller.asked();
    const all = ['a', 'b', 'c'].map((key) => fetch(key));
    await until('two to be shown', () => seller.shown.length === 2);
    await until('all to be asked', () => seller.asked() === asked + 3);
    expect(rows()).toHaveLength(2);
    letGo();
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200, 200]);
    // The offer that waited may be over: the third is asked anew.
    expect(seller.asked()).toBe(asked + 4);
  });
});

describe('a paid purchase without room for its answer', () => {
  it.each([
    ['was paid and not delivered', {}, '0.01'],
    ['waited for the owner', { approveAbove: '0' }, '0'],
  ])('is reported as paid, and is shown to the seller once there is room: it %s', async (_, rules, spent) => {
    const policy = (change: object) => treasury.client.post(`/v1/agents/${agent.agentId}/policy`, change);
    await policy(rules);
    seller.behave = async ({ settle, response }) => {
      await settle();
      response.writeHead(500).end();
    };
    await fetch('first', {}, { prefer: 'wait=1' });
    const [first] = rows();
    if (spent !== '0') await until('its payment', () => ['seen', 'final'].includes(rows()[0]?.state ?? ''));
    await policy({ approveAbove: null });
    await fill();
    const shown = seller.shown.length;
    const again = fetch('first', {}, { prefer: 'wait=20' });
    const [approval] = store().approvals.pending(agent.agentId);
    if (approval !== undefined)
      await treasury.client.post(`/v1/approvals/${approval.id}/grant`, { hash: approval.hash });
    const { status, body } = await again;
    expect([status, body['code']]).toEqual([429, 'answers_full']);
    expect(body['error']).toMatch(/^This is paid already.*Do not pay it again.*the same Idempotency-Key\.$/);
    expect(body['error']).not.toMatch(/nothing was paid/i);
    expect(body['details']).toMatchObject({ paymentId: first?.id });
    expect(seller.shown).toHaveLength(shown);
    seller.behave = async ({ settle, response }) => deliver(response, await settle());
    const delivered = await fetch('first', { maxBytes: mebibyte });
    expect(delivered.body).toMatchObject({ body: '{"sun":true}', payment: { paymentId: first?.id } });
    expect(rows()).toHaveLength(3);
  });
});

describe('eight fetches of an agent at once', () => {
  const small = { maxBytes: 1_000 };
  it('make further ones wait, but not other agents, a repeated key, or the owner’s stop', async () => {
    const letGo = held();
    const all = Array.from({ length: 12 }, (_, index) => fetch(`${index}`, small));
    await until('eight to be shown', () => seller.shown.length === 8);
    const [former, other] = [agent, await deploy(treasury.client, `other-${n}`, { allocate: '1.00' })];
    agent = other;
    const free = await fetch('free', { url: `${seller.url}/free` });
    expect(free.body).toMatchObject({ body: 'free' });
    agent = former;
    expect((await fetch('3', small, { prefer: 'wait=1' })).body).toMatchObject({ delivering: true });
    expect(rows()).toHaveLength(8);
    await treasury.client.post('/v1/freeze');
    letGo();
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    // Payments that the seller saw before the stop are delivered; waiting fetches are refused.
    expect(statuses.toSorted()).toEqual([...Array(8).fill(200), ...Array(4).fill(403)]);
    await treasury.client.post('/v1/unfreeze');
  });

  it('drop a waiting caller that goes away: nothing is asked or paid for it', async () => {
    const letGo = held();
    const all = Array.from({ length: 8 }, (_, index) => fetch(`${index}`, small));
    await until('eight to be shown', () => seller.shown.length === 8);
    const asked = seller.asked();
    const path = `/v1/agents/${agent.agentId}/fetch?owner=${treasury.owner}`;
    const headers = { authorization: `Bearer ${agent.key}`, 'content-type': 'application/json' };
    const going = request(new URL(path, treasury.host.url), { method: 'POST', headers });
    const ended = new Promise((resolve) => going.once('close', resolve));
    going.on('error', () => {}).end(JSON.stringify({ url: `${seller.url}/data`, ...small }));
    await until('it to be sent', () => going.writableFinished);
    // Answered behind it: by then it waits.
    await agent.client.get(`/v1/agents/${agent.agentId}/balance`);
    going.destroy();
    await ended;
    await treasury.client.get('/v1/dashboard');
    letGo();
    await Promise.all(all);
    expect((await fetch('last', small)).status).toBe(200);
    expect([seller.asked() - asked, rows().length]).toEqual([1, 9]);
  });
});

describe('a disk with less than 64 MiB left', () => {
  it('refuses payments, asks nobody, stores no key, and lets every stop through', async () => {
    disk.free = 64 * mebibyte - 1;
    const asked = seller.asked();
    for (const { status, body } of [await fetch('low'), await agent.pay('0.01', { key: 'low-pay' })])
      expect([status, body['code']]).toEqual([503, 'disk_low']);
    expect([seller.asked() - asked, rows().length]).toEqual([0, 0]);
    const path = `/v1/agents/${agent.agentId}`;
    expect(
      await Promise.all([
        treasury.client.post(`${path}/recall`, { amount: '0.10' }),
        treasury.client.post(`${path}/kill`),
        treasury.client.post(`${path}/resume`),
        treasury.client.post('/v1/freeze'),
        treasury.client.post('/v1/unfreeze'),
      ]),
    ).toEqual(Array(5).fill(expect.objectContaining({ status: 200 })));
    disk.free = 64 * mebibyte;
    expect((await fetch('low')).status).toBe(200);
    expect((await agent.pay('0.01', { key: 'low-pay' })).status).toBe(200);
  });
});

describe('a start', () => {
  it('removes files that no row names and rows whose file is gone; a replay then returns the payment alone', async () => {
    for (const key of ['kept', 'lost']) await fetch(key);
    await areKept(2);
    const [kept, lost] = rows();
    await treasury.close();
    unlinkSync(join(folder, lost?.id ?? ''));
    writeFileSync(join(folder, 'free_left'), 'left');
    writeFileSync(join(folder, 'pay_unknown'), 'left');
    await open();
    expect(readdirSync(folder)).toContain(kept?.id);
    for (const name of ['free_left', 'pay_unknown']) expect(readdirSync(folder)).not.toContain(name);
    expect(store().answers.get(lost?.id ?? '')).toBeUndefined();
    expect((await fetch('kept')).body).toMatchObject({ body: '{"sun":true}' });
    expect((await fetch('lost')).body).toMatchObject({
      status: 200,
      body: '',
      payment: { paymentId: lost?.id },
    });
    expect(seller.shown).toHaveLength(2);
  });

  it('follows no symbolic link in the place of an answer’s file', async () => {
    const letGo = held();
    const asking = fetch('link');
    await until('it to be shown', () => seller.shown.length === 1);
    const target = join(dataDir, 'target');
    writeFileSync(target, 'untouched');
    const { id } = row();
    symlinkSync(target, join(folder, id));
    letGo();
    await asking;
    await areKept(1);
    expect(readFileSync(target, 'utf8')).toBe('untouched');
    expect(readFileSync(join(folder, id), 'utf8')).toBe('{"sun":true}');
  });

  it('moves answers that version 0.1 kept in the database into files, and leaves no copy in the database', async () => {
    const secret = `kept by version 0.1, ${'and long enough for pages of its own '.repeat(300)}`;
    seller.behave = saying(Buffer.from(secret));
    await fetch('old');
    await areKept(1);
    const id = rows()[0]?.id ?? '';
    await treasury.close();
    const file = join(network, 'treasury.db');
    const db = new Database(file);
    db.exec('PRAGMA foreign_keys = OFF');
    const headers = JSON.stringify({ 'content-type': 'text/plain' });
    db.prepare('INSERT INTO seller_answer VALUES (?, 200, ?, ?, ?)').run(
      id,
      headers,
      Buffer.from(secret),
      Date.now(),
    );
    db.exec('DELETE FROM kept_answer');
    db.close();
    unlinkSync(join(folder, id));
    makeOlder(file, 9);
    expect(readFileSync(file).includes('and long enough')).toBe(true);
    await open();
    await treasury.client.post('/v1/unfreeze');
    expect(readFileSync(join(folder, id), 'utf8') === secret).toBe(true);
    // The start of a database that its seal does not fit ended the agents' API keys: the owner asks instead.
    agent = { ...agent, client: treasury.client };
    const { body: again } = await fetch('old');
    expect([again['status'], again['body'] === secret]).toEqual([200, true]);
    expect(seller.shown).toHaveLength(1);
    const { body } = await treasury.client.post('/v1/backup');
    expect(readFileSync(String(body['file'])).includes('and long enough')).toBe(false);
  });
});
