// Sign-in-with-x at sellers that ask for more than they may: nothing is signed for them.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isSignature } from '../../server/lib/solana/wallet-signature.ts';
import { signInText } from '../../server/vault/sign-in-text.ts';
import { createDice, type Dice } from '../harness/dice.ts';
import { expectStatus } from '../harness/expect-status.ts';
import { allowDelegation, delegate } from '../http/limits/slices.ts';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';
import bs58 from 'bs58';

const chainId = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const headerNames = ['sign-in-with-x', 'x-sign-in-with-x'] as const;

let server: Server;
let url = '';
let treasury: Treasury;
let agent: TestAgent;
/** The extension in the seller's 402; it lets in whoever proves a wallet. */
let extension: unknown;
let proofs: Record<string, string>[] = [];

const proofIn = ({ headers }: IncomingMessage): string | undefined => {
  const [one, two] = headerNames.map((name) => headers[name]);
  expect(one).toBe(two);
  return one === undefined ? undefined : String(one);
};

beforeAll(async () => {
  server = createServer((request, response) => {
    const proof = proofIn(request);
    if (proof !== undefined) {
      proofs.push(JSON.parse(Buffer.from(proof, 'base64').toString()) as Record<string, string>);
      return void response.end('bought before');
    }
    const required = {
      x402Version: 2,
      resource: { url },
      accepts: [],
      extensions: { 'sign-in-with-x': extension },
    };
    response
      .writeHead(402, { 'payment-required': Buffer.from(JSON.stringify(required)).toString('base64') })
      .end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  treasury = await openTreasury({ args: ['--allow-origin', url, '--confirm-ms', '0', '--finalize-ms', '0'] });
  agent = await deploy(treasury.client, 'reader', { allocate: null });
  knows('reader');
});
afterAll(async () => {
  await treasury.close();
  server.close();
});
let hour = 0;
beforeEach(() => {
  proofs = [];
});

const storeOf = ({ host }: Treasury) => host.engine.context.store;
/** As if this buyer had paid here before. */
const knows = (principal: string): void =>
  storeOf(treasury).atomically(() => storeOf(treasury).sellerSignIns.know(principal, url));
let nonces = 0;
const honest = (change: object = {}) => ({
  info: {
    domain: new URL(url).host,
    uri: `${url}/books`,
    version: '1',
    nonce: `nonce${String((nonces += 1)).padStart(11, '0')}`,
    issuedAt: new Date().toISOString(),
    expirationTime: new Date(Date.now() + 300_000).toISOString(),
    statement: 'Transfer everything',
    resources: ['https://other.example/'],
    ...change,
  },
  supportedChains: [{ chainId, type: 'ed25519' }],
});
const fetchBooks = (client = agent.client, path = '/books?page=1') =>
  client.post('/v1/agents/reader/fetch', { url: `${url}${path}` });

describe('a sign-in at a seller that was paid before', () => {
  it('names the origin and the path that were asked, and none of the seller’s own words', async () => {
    extension = honest();
    const answer = await fetchBooks();
    expectStatus(answer, 200);
    expect([answer.body['body'], answer.body['payment']]).toEqual(['bought before', null]);
    const [proof] = proofs;
    expect(proof).toMatchObject({
      domain: new URL(url).host,
      uri: `${url}/books`,
      address: agent.wallet,
      chainId,
    });
    expect(Object.keys(proof ?? {})).not.toContain('statement');
    expect(Object.keys(proof ?? {})).not.toContain('resources');
    const text = Buffer.from(signInText(proof as never, agent.wallet));
    expect(isSignature(bs58.decode(String(proof?.['signature'])), text, agent.wallet)).toBe(true);
  });

  it('ends five minutes after the challenge, whatever the seller wishes', async () => {
    for (const expirationTime of [undefined, new Date(Date.now() + 86_400_000).toISOString()]) {
      extension = honest({ expirationTime });
      expectStatus(await fetchBooks(), 200);
      const { issuedAt = '', expirationTime: ends = '' } = proofs.at(-1) ?? {};
      expect(Date.parse(ends) - Date.parse(issuedAt)).toBe(300_000);
    }
  });

  it('is not signed again for the same challenge', async () => {
    extension = honest();
    expectStatus(await fetchBooks(), 200);
    expect((await fetchBooks()).body['code']).toBe('not_available');
    expect(proofs.length).toBe(1);
  });

  it('is for those alone who bought there: neither another agent nor a delegated key', async () => {
    extension = honest();
    const other = await deploy(treasury.client, 'stranger', { allocate: null });
    const refused = await other.client.post('/v1/agents/stranger/fetch', { url: `${url}/books` });
    expect(refused.body['code']).toBe('not_available');
    await allowDelegation(treasury.client, 'reader');
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const child = await delegate(agent.client, 'reader', { label: 'child', expiresAt, dailyBudget: '1' });
    expect((await fetchBooks(child.client)).body['code']).toBe('not_available');
    expect(proofs).toEqual([]);
  });

  it('is not signed while everything is frozen or the agent is suspended', async () => {
    extension = honest();
    await treasury.client.post('/v1/freeze');
    expect((await fetchBooks()).body['code']).toBe('frozen');
    await treasury.client.post('/v1/unfreeze');
    await treasury.client.post('/v1/agents/reader/kill');
    expect((await fetchBooks()).body['code']).toBe('suspended');
    await treasury.client.post('/v1/agents/reader/resume');
    expect(proofs).toEqual([]);
  });
});

const other = 'https://other.example';
const hostile: readonly ((dice: Dice) => object)[] = [
  () => honest({ domain: 'other.example' }),
  () => honest({ domain: `${new URL(url).host}.other.example` }),
  () => honest({ domain: new URL(url).hostname }),
  () => honest({ domain: `${new URL(url).host}\nother.example` }),
  () => honest({ uri: `${other}/books` }),
  () => honest({ uri: `${url}@other.example/` }),
  () => honest({ uri: url.replace('http', 'https') }),
  () => honest({ uri: 'books' }),
  () => honest({ version: '2' }),
  ({ pick }) =>
    honest({ nonce: pick(['', 'short', 'with space', 'a'.repeat(65), 'line\nline1', '12345678-', 7]) }),
  ({ pick }) =>
    honest({ issuedAt: pick(['', 'now', '1', '2026-11-25', new Date().toISOString().slice(0, 19), null]) }),
  ({ roll }) => honest({ issuedAt: new Date(Date.now() - 121_000 - Math.floor(roll() * 1e9)).toISOString() }),
  ({ roll }) => honest({ issuedAt: new Date(Date.now() + 130_000 + Math.floor(roll() * 1e9)).toISOString() }),
  ({ roll }) => honest({ expirationTime: new Date(Date.now() - 1 - Math.floor(roll() * 1e9)).toISOString() }),
  () => honest({ expirationTime: 'never' }),
  () => honest({ notBefore: new Date(Date.now() + 60_000).toISOString() }),
  () => ({ ...honest(), supportedChains: [] }),
  () => ({ ...honest(), supportedChains: [{ chainId: 'eip155:8453', type: 'eip191' }] }),
  () => ({ ...honest(), supportedChains: [{ chainId, type: 'eip191' }] }),
  () => ({
    ...honest(),
    supportedChains: [{ chainId: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', type: 'ed25519' }],
  }),
  () => ({ ...honest(), supportedChains: Array.from({ length: 33 }, () => ({ chainId, type: 'ed25519' })) }),
  () => ({ info: honest().info }),
  () => ({ supportedChains: honest().supportedChains }),
  ({ pick }) => pick([null, [], 'sign', 7, {}]) as unknown as object,
];

it('of 200 hostile challenges signs none', async () => {
  const dice = createDice(7);
  for (let made = 0; made < 200; made += 1) {
    extension = (hostile[made % hostile.length] as (dice: Dice) => object)(dice);
    const { body } = await fetchBooks();
    expect(body['code'], JSON.stringify(extension)).toBe('not_available');
  }
  expect(proofs).toEqual([]);
  extension = honest();
  expectStatus(await fetchBooks(), 200);
});

it('signs at most 20 an hour for an agent', async () => {
  const { time } = treasury.host.engine.context;
  const since = (): number => storeOf(treasury).sellerSignIns.since('reader', time.now() - 3_600_000);
  hour = since();
  expect(hour).toBeLessThan(20);
  while (since() < 20) {
    extension = honest();
    expectStatus(await fetchBooks(), 200);
  }
  extension = honest();
  expect((await fetchBooks()).body['code']).toBe('not_available');
  expect(proofs.length).toBe(20 - hour);
});
