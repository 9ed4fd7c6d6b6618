// A registered phone whose approvals count already: its 24 hours are taken off in the store.
import { newPhone, registerPhone, type Phone } from './phone.ts';
import { until, type Treasury } from '../treasury.ts';

export const trustedPhone = async (
  treasury: Treasury,
  perApproval = '2',
  perDay = '3',
): Promise<{ phone: Phone; id: string }> => {
  const phone = await newPhone(treasury);
  const id = await registerPhone(treasury, phone, { perApproval, perDay });
  const { store } = treasury.host.engine.context;
  const wallet = store.phones.wallets().find((one) => one.id === id);
  if (wallet === undefined) throw new Error('the phone is registered');
  store.atomically(() => store.phones.put({ ...wallet, approvesFrom: wallet.registeredAt }));
  return { phone, id };
};

/** The row of a word, once it was read. */
export const wordRow = async ({ client }: Treasury, signature: string): Promise<Record<string, unknown>> =>
  until(`word ${signature}`, async () => {
    const { body } = await client.get('/v1/phone-words');
    return (body['words'] as Record<string, unknown>[]).find(({ txSignature }) => txSignature === signature);
  });
