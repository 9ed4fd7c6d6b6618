// Before a bridge sends its API key, the host has to prove that it knows it: a program that took the port learns
// nothing.
import { randomBytes } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { fingerprintOf, hashOfKey, healthProof } from '../../../server/contract/host/health-proof.ts';
import { createPageTickets } from '../../../server/http/page-tickets.ts';
import { useFolders } from '../../harness/folders.ts';
import { openTreasury } from '../../harness/treasury.ts';
import { client, payer, treasury, useTreasury } from '../api-treasury.ts';
import { navigation, ticketIn, writePages } from './session-pages.ts';

useTreasury();
const folder = useFolders();

const ask = async (apiKey: string, nonce = randomBytes(16).toString('hex')) => {
  const keyHash = hashOfKey(apiKey);
  const path = `/v1/health?nonce=${nonce}&key=${fingerprintOf(keyHash)}`;
  const { body } = await client.get(path, { token: null, owner: null });
  return {
    proof: String(body['proof']),
    expected: healthProof(keyHash, nonce, treasury.host.url),
    nonce,
    keyHash,
  };
};

describe('the health of a host', () => {
  it('is proven with each key in force, over the nonce and the address of the request', async () => {
    const { proof, expected, nonce, keyHash } = await ask(payer.key);
    expect(proof).toBe(expected);
    expect(proof).not.toBe(healthProof(keyHash, nonce, 'http://127.0.0.1:1'));
    expect((await ask(payer.key)).proof).not.toBe(proof);
  });

  it('is not proven with an unknown or an ended key', async () => {
    const unknown = await ask(`atk_${'A'.repeat(43)}`, '0'.repeat(32));
    expect(unknown.proof).toMatch(/^[0-9a-f]{64}$/);
    expect(unknown.proof).not.toBe(unknown.expected);
    expect((await ask(`atk_${'A'.repeat(43)}`, '0'.repeat(32))).proof).not.toBe(unknown.proof);
    const { body } = await client.post('/v1/agents/payer/keys');
    const before = await ask(String(body['apiKey']));
    expect(before.proof).toBe(before.expected);
    await client.call('DELETE', `/v1/agents/payer/keys/${String(body['keyId'])}`);
    const revoked = await ask(String(body['apiKey']));
    expect(revoked.proof).not.toBe(revoked.expected);
  });

  it('is proven by reading one key: neither agents nor their keys are listed, however many there are', async () => {
    const { store } = treasury.host.engine.context;
    const lists = [vi.spyOn(store.agents, 'list'), vi.spyOn(store.keys, 'list')];
    const looks = vi.spyOn(store.keys, 'byFingerprint');
    const { proof, expected } = await ask(payer.key);
    await ask(`atk_${'B'.repeat(43)}`);
    expect(proof).toBe(expected);
    expect(lists.map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    expect(looks).toHaveBeenCalledTimes(2);
    vi.restoreAllMocks();
  });

  it('is proven with a rotated key while it is in force, and with the new one at once', async () => {
    const { body: first } = await client.post('/v1/agents/payer/keys');
    const rotate = `/v1/agents/payer/keys/${String(first['keyId'])}/rotate`;
    const { body: second } = await client.post(rotate);
    for (const key of [first['apiKey'], second['apiKey']]) {
      const { proof, expected } = await ask(String(key));
      expect(proof).toBe(expected);
    }
    const { body: third } = await client.post(`/v1/agents/payer/keys/${String(second['keyId'])}/rotate`, {
      now: true,
    });
    const ended = await ask(String(second['apiKey']));
    expect(ended.proof).not.toBe(ended.expected);
    const newest = await ask(String(third['apiKey']));
    expect(newest.proof).toBe(newest.expected);
  });

  it('is proven with the ticket of each page that it sent, and of no page of another start', async () => {
    const pages = await openTreasury({ dashboard: writePages(folder()) });
    const ticket = await ticketIn(pages.client);
    const other = createPageTickets().issue({ headers: navigation }, { name: 'local', url: pages.host.url });
    const prove = async (one: string) => {
      const nonce = randomBytes(16).toString('hex');
      const path = `/v1/health?nonce=${nonce}&page=${one.split('.')[0]}`;
      const { body } = await pages.client.get(path, { token: null, owner: null });
      return [body['proof'], healthProof(hashOfKey(one), nonce, pages.host.url)];
    };
    const [proof, expected] = await prove(ticket);
    expect(proof).toBe(expected);
    const [foreign, wanted] = await prove(other);
    expect(foreign).toMatch(/^[0-9a-f]{64}$/);
    expect(foreign).not.toBe(wanted);
    await pages.close();
  });

  it('is {ok} alone without a nonce', async () => {
    expect((await client.get('/v1/health', { token: null, owner: null })).body).toEqual({ ok: true });
  });
});
