// The owner approves and denies from a phone, over a real chain.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newPhone, partsOf, registerPhone, wordOf as wordOfParts } from '../harness/phone.ts';
import { trustedPhone, wordRow } from '../harness/trusted-phone.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';

let treasury: Treasury;
let client: Treasury['client'];
let count = 0;
beforeAll(async () => {
  treasury = await openTreasury();
  ({ client } = treasury);
});
afterAll(() => treasury.close());
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
