// Events for the owner as they happen; and internal errors, whose details nobody is told.
import { readFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { describe, expect, it } from 'vitest';
import { deploy, until } from '../harness/treasury.ts';
import { client, logFile, payer, treasury, useTreasury } from './api-treasury.ts';

useTreasury();

describe('events', () => {
  it('tell the owner of each change after it happened, and carry no secret', async () => {
    const token = readFileSync(treasury.host.cookieFile ?? '', 'utf8');
    let text = '';
    const url = new URL(`/v1/events?owner=${treasury.owner}`, treasury.host.url);
    const stream = httpGet(url, { headers: { authorization: `Bearer ${token}` } });
    await new Promise<void>((resolve) => {
      stream.on('response', (response) => {
        expect(response.headers['content-type']).toBe('text/event-stream');
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          resolve();
        });
        response.on('error', () => {});
      });
    });
    const seen = (type: string, part: string): Promise<unknown> =>
      until(`${type} ${part}`, () =>
        text.split('\n\n').some((one) => one.startsWith(`event: ${type}\n`) && one.includes(part)),
      );

    await client.post('/v1/sandbox/faucet', { amount: '0.77' });
    await seen('deposit', '"amount":"0.77"');
    const { body: paid } = await payer.pay('0.033');
    await seen('transfer', `"id":"${paid['paymentId']}"`);
    await client.post('/v1/freeze');
    await seen('freeze', '"frozen":true');
    await client.post('/v1/unfreeze');
    await client.post('/v1/services/sandbox-weather/rules', { blocked: true });
    await seen('service', 'sandbox-weather');
    await client.post('/v1/services/sandbox-weather/rules', { blocked: false });
    const created = await deploy(client, 'watched', { policy: { approveAbove: '0' } });
    await seen('agent', 'watched');
    const asked = await created.pay('0.1');
    await seen('approval', String(asked.body['approvalId']));
    const key = await client.post('/v1/agents/watched/keys');
    stream.destroy();

    for (const block of text.split('\n\n').filter((one) => one.startsWith('event:'))) {
      const [, data = ''] = block.split('\ndata: ');
      expect(JSON.parse(data)).toBeTypeOf('object');
    }
    for (const hidden of [
      token,
      payer.key,
      created.key,
      String(key.body['apiKey']),
      String(paid['xPaymentHeader']),
      'atk_',
      'own_',
    ])
      expect(text).not.toContain(hidden);
  });
});

const lines = (): string[] =>
  readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"level":"error"'));

const secret = 'phrase: abandon abandon ability, key atk_planted';

/** Makes the store fail while the work runs. */
const failing = async (work: () => Promise<void>): Promise<void> => {
  const { agents } = treasury.host.engine.context.store;
  const { list } = agents;
  agents.list = () => {
    throw new Error(secret);
  };
  try {
    await work();
  } finally {
    agents.list = list;
  }
};

describe('an internal error', () => {
  it('is 500 without details, and is logged whole, once', async () => {
    const before = lines().length;
    await failing(async () => {
      const { status, text } = await client.get('/v1/agents');
      expect(status).toBe(500);
      expect(JSON.parse(text)).toEqual({ error: 'Internal error', code: 'internal' });
    });
    const logged = lines().slice(before);
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({
      err: { message: secret, stack: expect.any(String) },
      path: '/v1/agents',
    });
    expect((await client.get('/v1/agents')).status).toBe(200);
  });

  it('in the middle of a stream cuts it, so that half a statement cannot pass for a whole one, and is logged once', async () => {
    const before = lines().length;
    const { transfers } = treasury.host.engine.context.store;
    const { iterate } = transfers;
    transfers.iterate = function* broken(query) {
      const rows = [...iterate.call(transfers, query)];
      // More than one chunk, so that some has left.
      for (let n = 0; n < 500; n += 1) yield* rows;
      throw new Error(secret);
    };
    try {
      await expect(client.get('/v1/statement')).rejects.toThrow();
    } finally {
      transfers.iterate = iterate;
    }
    expect(lines().slice(before)).toHaveLength(1);
  });
});
