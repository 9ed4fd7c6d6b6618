// The reference implementation of Solana Pay as the phone, and as the judge of what we accept.
import { createTransfer, encodeURL, findReference, parseURL, validateTransfer } from '@solana/pay';
import { Connection, type Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partsOf, type Phone } from '../harness/phone.ts';
import { trustedPhone, wordRow } from '../harness/trusted-phone.ts';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';

let treasury: Treasury;
let phone: Phone;
let agent: TestAgent;
let connection: Connection;
beforeAll(async () => {
  treasury = await openTreasury();
  connection = new Connection(treasury.host.rpcUrl, 'confirmed');
  ({ phone } = await trustedPhone(treasury));
  agent = await deploy(treasury.client, 'asker', {
    dailyBudget: '10',
    maxPerPayment: '5',
    policy: { approveAbove: '0.5' },
  });
});
afterAll(() => treasury.close());

const requests = async (): Promise<{ approvalId: string; approve: string; deny: string }> => {
  const paying = { service: 'sandbox-weather', amount: '1', currency: 'USDC' };
  const { body } = await agent.client.post('/v1/agents/asker/pay', paying);
  const approvalId = String(body['approvalId']);
  const { body: shown } = await treasury.client.get(`/v1/approvals/${approvalId}/phone`);
  return { approvalId, approve: String(shown['approve']), deny: String(shown['deny']) };
};

/** The fields of a transfer request, as the reference implementation reads them. */
const fieldsOf = (url: string) => {
  const parsed = parseURL(url);
  if (!('recipient' in parsed) || parsed.amount === undefined || parsed.reference === undefined)
    throw new Error('this is no transfer request with a sum and references');
  const { recipient, amount, memo = '' } = parsed;
  return { recipient, amount, reference: [parsed.reference].flat(), memo };
};

const pay = async (url: string, keys: Keypair): Promise<string> => {
  const transaction = await createTransfer(connection, keys.publicKey, fieldsOf(url), {
    commitment: 'confirmed',
  });
  transaction.feePayer = keys.publicKey;
  transaction.recentBlockhash = (await connection.getLatestBlockhash()).blockhash;
  transaction.sign(keys);
  return connection.sendRawTransaction(transaction.serialize());
};

describe('a request of ours', () => {
  it('is what encodeURL writes of its fields', async () => {
    const { freeze, test } = (await treasury.client.get('/v1/phone-wallets')).body;
    const { approve, deny } = await requests();
    for (const url of [approve, deny, String(freeze), String(test)])
      expect(partsOf(encodeURL(fieldsOf(url)).href)).toEqual(partsOf(url));
  });

  it('is found by its reference, is valid to validateTransfer, and is obeyed', async () => {
    const { approve, approvalId } = await requests();
    const signature = await pay(approve, phone.keys);
    const wanted = fieldsOf(approve);
    const [own] = wanted.reference;
    if (own === undefined) throw new Error('an answer has a reference');
    expect(await wordRow(treasury, signature)).toMatchObject({ whyNot: null, approvalId });
    const found = await findReference(connection, own, { finality: 'confirmed' });
    expect(found.signature).toBe(signature);
    const valid = await validateTransfer(connection, signature, wanted, { commitment: 'confirmed' });
    expect(valid.meta?.err).toBeNull();
  });

  it('is obeyed in no form that validateTransfer refuses', async () => {
    const { deny, approvalId } = await requests();
    const wanted = fieldsOf(deny);
    const changes = [
      { memo: `${wanted.memo}.` },
      { lamports: 999 },
      { references: partsOf(deny).references.slice(1) },
    ];
    for (const change of changes) {
      const signature = await phone.say(deny, change);
      await expect(
        validateTransfer(connection, signature, wanted, { commitment: 'confirmed' }),
      ).rejects.toThrow();
    }
    const { test } = (await treasury.client.get('/v1/phone-wallets')).body;
    await wordRow(treasury, await phone.say(String(test)));
    expect((await treasury.client.get(`/v1/approvals/${approvalId}`)).body['status']).toBe('pending');
  });
});
