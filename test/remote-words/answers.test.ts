// The owner approves and denies from a phone, over a real chain, also with the reference implementation of Solana Pay.
import { createTransfer, encodeURL, findReference, parseURL, validateTransfer } from '@solana/pay';
import { Connection, Keypair } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerMemo } from '../../server/engine/domain/phone.ts';
import {
  newPhone,
  partsOf,
  registerPhone,
  wordOf as wordOfParts,
  type Phone,
} from '../harness/chain/phone.ts';
import {
  deploy,
  openSandbox,
  openTreasury,
  rpcCall,
  until,
  type TestAgent,
  type TestSandbox,
  type Treasury,
} from '../harness/treasury.ts';
import { trustedPhone, wordRow } from '../harness/chain/trusted-phone.ts';
import { createX402Seller, type X402Seller } from '../harness/chain/x402-seller.ts';

let treasury: Treasury;
let client: Treasury['client'];
let sandbox: TestSandbox;
let seller: X402Seller;
let count = 0;
beforeAll(async () => {
  sandbox = await openSandbox();
  const { rpcUrl } = sandbox;
  seller = await createX402Seller(rpcUrl);
  const ws = rpcUrl.replace('http', 'ws');
  treasury = await openTreasury({ args: ['--rpc', rpcUrl, '--ws', ws, '--allow-origin', seller.url] });
  ({ client } = treasury);
  await client.post('/v1/sandbox/faucet', { amount: '1000' });
});
afterAll(async () => {
  await treasury.close();
  await seller.close();
  await sandbox.close();
});
const newAgent = (): Promise<TestAgent> =>
  deploy(client, `agent-${(count += 1)}`, {
    dailyBudget: '10',
    maxPerPayment: '5',
    policy: { approveAbove: '0.5' },
  });
const pathOf = (agent: TestAgent, what: string): string => `/v1/agents/${agent.agentId}/${what}`;
const settled = (paymentId: string): Promise<string> =>
  until('the payment', () => {
    const state = treasury.host.engine.context.store.transfers.get(paymentId)?.state;
    return state === 'seen' || state === 'final' ? state : undefined;
  });
afterEach(async () => {
  const { body } = await client.get('/v1/phone-wallets');
  for (const { phoneWalletId } of body['wallets'] as { phoneWalletId: string }[])
    await client.call('DELETE', `/v1/phone-wallets/${phoneWalletId}`);
});

interface Asked {
  approvalId: string;
  paymentId: string;
  approve: string;
  deny: string;
}
const asked = async (amount = '1', agent?: TestAgent): Promise<Asked> => {
  const asker = agent ?? (await newAgent());
  const { status, body } = await asker.client.post(pathOf(asker, 'pay'), {
    service: 'sandbox-weather',
    amount,
    currency: 'USDC',
  });
  expect(status).toBe(202);
  const shown = (await client.get(`/v1/approvals/${String(body['approvalId'])}/phone`)).body;
  return { ...body, ...shown } as unknown as Asked;
};
const statusOf = async (id: string): Promise<unknown> =>
  (await client.get(`/v1/approvals/${id}`)).body['status'];

describe('a word from a registered phone', () => {
  it('approves a payment within its limits, which is then made', async () => {
    const { phone } = await trustedPhone(treasury);
    const { approve, approvalId, paymentId } = await asked();
    expect(approve).toContain('memo=at%3Aapprove%201.00%20USDC%20to%20');
    const word = await wordRow(treasury, await phone.say(approve));
    expect(word).toMatchObject({ whyNot: null, approved: '1.00', approvalId });
    expect(await settled(paymentId)).toMatch(/seen|final/);
  });

  it('denies, also from a phone without limits, on the day of its registration', async () => {
    const phone = await newPhone(treasury);
    await registerPhone(treasury, phone);
    const { deny, approvalId } = await asked();
    expect(await wordRow(treasury, await phone.say(deny))).toMatchObject({ whyNot: null, approved: '0.00' });
    expect(await statusOf(approvalId)).toBe('denied');
  });

  it('approves nothing in its first 24 hours', async () => {
    await trustedPhone(treasury);
    const phone = await newPhone(treasury);
    await registerPhone(treasury, phone, { perApproval: '5', perDay: '5' });
    const { approve, approvalId } = await asked();
    const word = await wordRow(treasury, await phone.say(approve));
    expect(word['whyNot']).toContain('approvals count from');
    expect(await statusOf(approvalId)).toBe('pending');
  });

  it('approves no more than its limits, also when two of its words are read at once', async () => {
    const big = await trustedPhone(treasury, '5', '5');
    const { phone } = await trustedPhone(treasury, '2', '3');
    const over = await asked('2.5');
    expect(await wordRow(treasury, await phone.say(over.approve))).toMatchObject({
      whyNot: 'This wallet approves at most 2.00 USDC at once.',
    });
    const [one, two] = [await asked('2'), await asked('2')];
    const said = await Promise.all([phone.say(one.approve), phone.say(two.approve)]);
    const words = await Promise.all(said.map((signature) => wordRow(treasury, signature)));
    expect(words.map(({ whyNot }) => whyNot).toSorted()).toEqual([
      'This wallet approves at most 3.00 USDC in 24 hours.',
      null,
    ]);
    await wordRow(treasury, await big.phone.say(over.approve));
    expect(await statusOf(over.approvalId)).toBe('granted');
  });

  it('is offered no code that approves once the 24 hours of every phone are used up', async () => {
    const { phone } = await trustedPhone(treasury, '2', '3');
    await wordRow(treasury, await phone.say((await asked('2')).approve));
    const { approve, deny } = await asked('2');
    expect([approve, typeof deny]).toEqual([null, 'string']);
  });

  it('counts once, when two phones say the same', async () => {
    const phones = [await trustedPhone(treasury), await trustedPhone(treasury)];
    const { approve } = await asked();
    const said = await Promise.all(phones.map(({ phone }) => phone.say(approve)));
    const words = await Promise.all(said.map((signature) => wordRow(treasury, signature)));
    expect(words.filter(({ whyNot }) => whyNot === null)).toHaveLength(1);
  });

  it('approves no change of a policy, and may deny it', async () => {
    const { phone } = await trustedPhone(treasury);
    const agent = await newAgent();
    const { body } = await agent.client.post(pathOf(agent, 'policy'), { dailyBudget: '11' });
    const shown = (await client.get(`/v1/approvals/${String(body['approvalId'])}/phone`)).body;
    expect(shown['approve']).toBeNull();
    const forged = String(shown['deny']).replace('at%3Adeny', 'at%3Aapprove');
    expect(await wordRow(treasury, await phone.say(forged))).toMatchObject({
      whyNot: 'A phone approves payments and allocations in USDC alone.',
    });
    expect(await statusOf(String(body['approvalId']))).toBe('pending');
  });

  it('does not wait for a word before it that cannot be obeyed now', async () => {
    const { phone } = await trustedPhone(treasury);
    const [first, second] = [await asked(), await asked()];
    const { funds } = treasury.host.engine.context;
    const { prepare } = funds;
    let failures = 0;
    funds.prepare = (intent) => {
      if (!('id' in intent) || intent.id !== first.paymentId) return prepare(intent);
      failures += 1;
      return Promise.reject(new TypeError('a bug in one answer'));
    };
    const stuck = await phone.say(first.approve);
    expect(await wordRow(treasury, await phone.say(second.deny))).toMatchObject({ whyNot: null });
    expect(failures).toBeGreaterThan(0);
    funds.prepare = prepare;
    expect(await wordRow(treasury, stuck)).toMatchObject({ whyNot: null, approved: '1.00' });
  });

  it('is shown to no agent', async () => {
    await trustedPhone(treasury);
    const agent = await newAgent();
    const { approvalId, approve } = await asked('1', agent);
    const owned = await agent.client.get(`/v1/approvals/${approvalId}/phone`);
    expect(owned.status).toBe(403);
    const seen = JSON.stringify(await agent.client.get(`/v1/approvals/${approvalId}`));
    for (const secret of [...partsOf(approve).references, partsOf(approve).memo.slice(-32)])
      expect(seen).not.toContain(secret);
  });
});

describe('a hostile word', () => {
  it('is never obeyed', async () => {
    const { phone } = await trustedPhone(treasury);
    const stranger = await newPhone(treasury);
    const other = await asked();
    const { approve, approvalId } = await asked();
    const parts = partsOf(approve);
    const from = phone.keys.publicKey;
    const nobody = stranger.address;
    await stranger.say(approve);
    await phone.say(approve, { memo: parts.memo.replace('1.00 USDC', '2.00 USDC') });
    await phone.say(approve, { memo: parts.memo.slice(0, -1) });
    await phone.say(approve, { memo: partsOf(other.approve).memo });
    await phone.say(approve, { references: partsOf(other.approve).references });
    await phone.say(approve, { references: parts.references.toReversed() });
    await phone.say(approve, { references: [...parts.references, nobody] });
    await phone.say(approve, { treasury: nobody });
    await phone.say(approve, { lamports: 999 });
    await phone.say(approve, { lamports: 1_001 });
    // The phone pays the fee, and another wallet makes the transfer.
    await phone.send(wordOfParts(stranger.keys.publicKey, parts), [stranger.keys]);
    // Another wallet signs as well.
    const joint = wordOfParts(from, parts);
    joint[2]?.keys.push({ pubkey: stranger.keys.publicKey, isSigner: true, isWritable: false });
    await phone.send(joint, [stranger.keys]);
    // Two transfers, two memos, and a transfer that fails.
    const [limit, memo, transfer] = wordOfParts(from, parts);
    if (limit === undefined || memo === undefined || transfer === undefined)
      throw new Error('a word has three parts');
    await phone.send([limit, memo, transfer, transfer]);
    await phone.send([limit, memo, memo, transfer]);
    await phone.send([transfer]);
    await phone.say(approve, { lamports: 10_000_000_000 });
    // A last word that is obeyed shows that all before it were read.
    expect(await wordRow(treasury, await phone.say(other.deny))).toMatchObject({ whyNot: null });
    expect(await statusOf(approvalId)).toBe('pending');
    expect(await wordRow(treasury, await phone.say(approve))).toMatchObject({ whyNot: null });
    // A replay, with another blockhash.
    const again = await wordRow(treasury, await phone.say(approve, {}));
    expect(again['whyNot']).toContain('can no longer be decided');
  });
});

/** The fields of a transfer request, as the reference implementation reads them. */
const fieldsOf = (url: string) => {
  const parsed = parseURL(url);
  if (!('recipient' in parsed) || parsed.amount === undefined || parsed.reference === undefined)
    throw new Error('this is no transfer request with a sum and references');
  const { recipient, amount, memo = '' } = parsed;
  return { recipient, amount, reference: [parsed.reference].flat(), memo };
};

const connection = () => new Connection(sandbox.rpcUrl, 'confirmed');
const payAs = async (url: string, keys: Keypair): Promise<string> => {
  const transaction = await createTransfer(connection(), keys.publicKey, fieldsOf(url), {
    commitment: 'confirmed',
  });
  transaction.feePayer = keys.publicKey;
  transaction.recentBlockhash = (await connection().getLatestBlockhash()).blockhash;
  transaction.sign(keys);
  return connection().sendRawTransaction(transaction.serialize());
};

/** The reference implementation of Solana Pay as the phone, and as the judge of what we accept. */
describe('a request of ours', () => {
  let phone: Phone;
  beforeEach(async () => {
    ({ phone } = await trustedPhone(treasury));
  });

  it('is what encodeURL writes of its fields', async () => {
    const { freeze, test } = (await treasury.client.get('/v1/phone-wallets')).body;
    const { approve, deny } = await asked();
    for (const url of [approve, deny, String(freeze), String(test)])
      expect(partsOf(encodeURL(fieldsOf(url)).href)).toEqual(partsOf(url));
  });

  it('is found by its reference, is valid to validateTransfer, and is obeyed', async () => {
    const { approve, approvalId } = await asked();
    const signature = await payAs(approve, phone.keys);
    const wanted = fieldsOf(approve);
    const [own] = wanted.reference;
    if (own === undefined) throw new Error('an answer has a reference');
    expect(await wordRow(treasury, signature)).toMatchObject({ whyNot: null, approvalId });
    const found = await findReference(connection(), own, { finality: 'confirmed' });
    expect(found.signature).toBe(signature);
    const valid = await validateTransfer(connection(), signature, wanted, { commitment: 'confirmed' });
    expect(valid.meta?.err).toBeNull();
  });

  it('is obeyed in no form that validateTransfer refuses', async () => {
    const { deny, approvalId } = await asked();
    const wanted = fieldsOf(deny);
    const changes = [
      { memo: `${wanted.memo}.` },
      { lamports: 999 },
      { references: partsOf(deny).references.slice(1) },
    ];
    for (const change of changes) {
      const signature = await phone.say(deny, change);
      await expect(
        validateTransfer(connection(), signature, wanted, { commitment: 'confirmed' }),
      ).rejects.toThrow();
    }
    const { test } = (await treasury.client.get('/v1/phone-wallets')).body;
    await wordRow(treasury, await phone.say(String(test)));
    expect((await treasury.client.get(`/v1/approvals/${approvalId}`)).body['status']).toBe('pending');
  });
});

it('a phone approves one payment: it pins no payee that changed, and makes none known', async () => {
  const { store } = treasury.host.engine.context;
  const agent = await deploy(client, 'buyer', { policy: { newPayees: 'approve' } });
  const { hash } = (await client.post('/v1/services/preview', { url: `${seller.url}/data` })).body;
  const { id } = (await client.post('/v1/services', { url: `${seller.url}/data`, hash })).body;
  const pinned = store.services.get(String(id))?.payees ?? [];
  expect(pinned).toEqual([seller.payee]);
  const { phone } = await trustedPhone(treasury, '1', '1');

  const thief = Keypair.generate().publicKey.toBase58();
  await rpcCall(sandbox.rpcUrl, 'sandbox_fundUsdc', [thief, '0']);
  seller.offer.payTo = thief;
  const buy = () => agent.client.post('/v1/agents/buyer/fetch', { url: `${seller.url}/data` });
  const held = await buy();
  expect(held.status, held.text).toBe(202);
  const { body } = await client.get(`/v1/approvals/${String(held.body['approvalId'])}/phone`);
  const word = await wordRow(treasury, await phone.say(String(body['approve'])));
  expect(word).toMatchObject({ whyNot: null });
  const paid = () => store.transfers.get(String(held.body['paymentId']))?.state;
  await until('the payment to end', () => store.transfers.openOf('buyer').length === 0);
  expect(paid()).toBe('final');

  expect(store.services.get(String(id))?.payees).toEqual(pinned);
  expect(store.payees.known('buyer', thief)).toBe(false);
  const next = await buy();
  expect([next.status, next.body['status']], next.text).toEqual([202, 'awaiting_approval']);
});

describe('the memo of an answer', () => {
  const payee = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const memoOf = (shown: Readonly<Record<string, unknown>>): string =>
    answerMemo(
      'approve',
      {
        id: 'apr_1',
        kind: 'payment',
        agentId: 'one',
        shown: { amount: '4.20', currency: 'USDC', payee, ...shown },
      },
      'CODE',
    );

  it('it shows that the payee changed, and the part of each recipient', () => {
    const service = 'sandbox-weather';
    const changed = 'at:approve 4.20 USDC to EPjF..Dt1v (payee changed) for sandbox-weather apr_1 CODE';
    expect(memoOf({ service, because: 'payee_changed' })).toBe(changed);
    const splits = [
      { payee: 'GokivDYuQXPZCWRkwMhdH2h91KpDQXBEmpgBgs55bnpH', amount: '4.19', payeeIsNew: true },
    ];
    const split = 'at:approve 4.20 USDC to 0.01 EPjF..Dt1v 4.19 Goki..bnpH for sandbox-weather apr_1 CODE';
    expect(memoOf({ service, payeeGets: '0.01', splits })).toBe(split);
  });

  it.each([
    [
      'the origin of a purchase',
      { request: 'GET https://api.example.com/v1?key=1' },
      'https://api.example.com',
    ],
    [
      'a long origin to its end, which names its owner',
      { request: `POST https://api.example.com.${'a'.repeat(60)}.evil.example/v1` },
      `https://api.example.com.${'a'.repeat(60)}.evil.example`,
    ],
    [
      'an origin that only the agent names, as such',
      { request: 'https://api.example.com/v1', saidByAgent: true },
      '(agent says) https://api.example.com',
    ],
    ['a service without a request', { service: 'sandbox-weather' }, 'sandbox-weather'],
    ['letters of another alphabet as their codes', { service: 'аpi.example' }, '\\u{430}pi.example'],
  ])('it shows %s', (_what, shown, place) => {
    expect(memoOf(shown)).toBe(`at:approve 4.20 USDC to EPjF..Dt1v for ${place} apr_1 CODE`);
  });
});
