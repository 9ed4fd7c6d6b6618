// A freeze from a phone: while locked, while payments wait, and before the first signature after a start.
import { expect, it, onTestFinished, vi } from 'vitest';
import { newPhone, registerPhone, type Phone } from '../harness/phone.ts';
import { trustedPhone, wordRow } from '../harness/trusted-phone.ts';
import { deploy, openTreasury, until, type Treasury } from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { unhandled } from '../harness/unhandled.ts';

const waiting = tries(60, 200);

const freezeUrl = async ({ client }: Treasury): Promise<string> =>
  String((await client.get('/v1/phone-wallets')).body['freeze']);
const isFrozen = ({ host }: Treasury): boolean => host.engine.context.store.freeze.get() !== null;
const withTreasury = async (use: (treasury: Treasury) => Promise<void>): Promise<void> => {
  const treasury = await openTreasury({ sockets: 256 });
  try {
    await use(treasury);
  } finally {
    await treasury.close();
  }
};
const newlyRegistered = async (treasury: Treasury): Promise<Phone> => {
  const phone = await newPhone(treasury);
  await registerPhone(treasury, phone);
  return phone;
};

it('is obeyed from any registered phone while the vault is locked, once, and names phone and transaction', () =>
  withTreasury(async (treasury) => {
    const phone = await newlyRegistered(treasury);
    treasury.host.vault.lock();
    const signature = await phone.say(await freezeUrl(treasury));
    await until('the freeze', () => isFrozen(treasury));
    expect(treasury.host.engine.context.store.freeze.get()?.reason).toContain(signature);
    expect(await wordRow(treasury, signature)).toMatchObject({ whyNot: null, memo: 'at:freeze' });
    await treasury.client.post('/v1/unfreeze');
    await treasury.host.engine.remoteWords.look();
    expect(isFrozen(treasury)).toBe(false);
  }));

it('is obeyed once the records can be read again, and the looks before end nothing', () =>
  withTreasury(async (treasury) => {
    const rejections = unhandled();
    const phone = await newlyRegistered(treasury);
    const url = await freezeUrl(treasury);
    // From here on a subscription tells of what comes.
    await treasury.host.engine.remoteWords.look();
    const { phones } = treasury.host.engine.context.store;
    const unread = vi.spyOn(phones, 'wallets').mockImplementation(() => {
      throw new Error('the records cannot be read');
    });
    onTestFinished(() => unread.mockRestore());
    await phone.say(url);
    const before = unread.mock.calls.length;
    await until('further looks', () => unread.mock.calls.length >= before + 3);
    expect(isFrozen(treasury)).toBe(false);
    unread.mockRestore();
    await until('the freeze', () => isFrozen(treasury));
    expect(await rejections()).toEqual([]);
  }));

it('is no word of a stranger, or of a phone that was removed', () =>
  withTreasury(async (treasury) => {
    const witness = await trustedPhone(treasury);
    const lost = await trustedPhone(treasury);
    const url = await freezeUrl(treasury);
    await (await newPhone(treasury)).say(url);
    await treasury.client.call('DELETE', `/v1/phone-wallets/${lost.id}`);
    await lost.phone.say(url);
    await witness.phone.say(url, { memo: 'at:freeze ' });
    await until(
      'all to be read',
      async () => (await treasury.client.get('/v1/phone-words')).body['words'] !== undefined,
    );
    await treasury.host.engine.remoteWords.look();
    expect(isFrozen(treasury)).toBe(false);
  }));

it(`binds ${waiting} payments that wait: none is signed after it was seen`, () =>
  withTreasury(async (treasury) => {
    const phone = await newlyRegistered(treasury);
    const agent = await deploy(treasury.client, 'busy', { dailyBudget: '500', maxPerPayment: '5' });
    const { store } = treasury.host.engine.context;
    let signedAfter = 0;
    treasury.host.engine.onEvent((event) => {
      if (event.type === 'transfer' && isFrozen(treasury) && event.transfer.state === 'signed')
        signedAfter += 1;
    });
    const pays = Array.from({ length: waiting }, () =>
      agent.client.post(`/v1/agents/${agent.agentId}/pay`, {
        service: 'sandbox-weather',
        amount: '0.01',
        currency: 'USDC',
      }),
    );
    await phone.say(await freezeUrl(treasury));
    await until('the freeze', () => isFrozen(treasury));
    const frozenAt = store.freeze.get()?.since ?? 0;
    await Promise.all(pays);
    const late = store.transfers.open().filter(({ signed }) => (signed?.at ?? 0) > frozenAt);
    expect(late).toEqual([]);
    expect(signedAfter).toBe(0);
  }));
