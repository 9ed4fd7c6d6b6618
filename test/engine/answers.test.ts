// Sellers' answers: how large and slow they may be, where they are kept, and who may read them.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTo } from '../../server/lib/files/owner-only.ts';
import type { Shown } from '../harness/x402-seller.ts';
import { openBeside, openRich, seller, useSeller } from '../harness/seller-treasury.ts';
import {
  deploy,
  removeFolder,
  temporaryFolder,
  until,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';

const mebibyte = 1024 * 1024;
useSeller();
const dataDir = temporaryFolder();
const folder = join(dataDir, 'sandbox', 'answers');
let treasury: Treasury;
let agent: TestAgent;
let n = 0;

beforeAll(async () => {
  treasury = await openRich({ dataDir, sockets: 64 });
});
afterAll(async () => {
  await treasury.close();
  removeFolder(dataDir);
});
beforeEach(async () => {
  n += 1;
  agent = await deploy(treasury.client, `reader-${n}`, { allocate: '1.00' });
});

const store = () => treasury.host.engine.context.store;
const rows = () => [...store().transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] })];
const row = () => {
  const [only, ...others] = rows();
  if (only === undefined || others.length > 0) throw new Error(`${rows().length} payments`);
  return only;
};
const fetchPath = () => `/v1/agents/${agent.agentId}/fetch`;
const fetch = (key: string, body: object = {}, sent: { prefer?: string } = {}) =>
  agent.client.post(fetchPath(), { url: `${seller.url}/data?of=${n}`, ...body }, { key, ...sent });
const payment = (id = row().id) => `/v1/agents/${agent.agentId}/payments/${id}`;
const receivedAt = () => store().answers.get(row().id)?.receivedAt ?? null;
const isKept = () => row().purchase?.delivery === 'delivered';
const reopen = async (): Promise<void> => {
  await treasury.close();
  treasury = await openBeside({ dataDir, sockets: 64 });
  agent = { ...agent, client: treasury.client.as(agent.key) };
};
/** A seller that settles, and then answers with these bytes. */
const saying =
  (bytes: Buffer, type = 'text/plain') =>
  async ({ settle, response }: Shown): Promise<void> => {
    await settle();
    response.setHeader('content-type', type).end(bytes);
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
      await until('it to be kept', isKept);
      const { body: again } = await fetch('whole');
      expect(bytes.equals(Buffer.from(again['body'], again['encoding']))).toBe(true);
      const file = join(folder, row().id);
      expect([statSync(file).size, openTo(file)]).toEqual([bytes.byteLength, null]);
      await reopen();
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
    await until('it to be kept', isKept);
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
    await until('it to be kept', isKept);
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
    await until('it to be kept', isKept);
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
    await until('it to be kept', isKept);
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
    const entry = {
      id: `slow-${n}`,
      name: 'Slow',
      description: '',
      category: 'api',
      pricing: {},
      price: '0.01',
    };
    const place = { source: 'x402-marketplace', endpoint: 'GET /data', origin: seller.url } as const;
    store().atomically(() =>
      store().services.upsert(
        { ...entry, ...place, payees: [seller.payee], vouched: true },
        { addedByOwner: true },
      ),
    );
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
    {
      limit: 'seconds',
      said: { maxTimeoutSeconds: 400 },
      asked: {},
      code: 'answer_too_slow',
      named: 'timeoutSeconds',
    },
    {
      limit: 'seconds of the caller',
      said: { maxTimeoutSeconds: 60 },
      asked: { timeoutSeconds: 59 },
      code: 'answer_too_slow',
      named: 'timeoutSeconds',
    },
    {
      limit: 'bytes',
      said: { size: 2_000 },
      asked: { maxBytes: 1_999 },
      code: 'answer_too_large',
      named: 'maxBytes',
    },
  ])('in $limit, as the offer announces: nothing is paid', async ({ said, asked, code, named }) => {
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
