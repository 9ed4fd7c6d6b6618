// The wallets on the owner's phones: registering them, their limits, their words, and the requests that they answer.
import type { Body, Reply } from '../../../contract/schemas.ts';
import { AppError, fieldError } from '../../../errors.ts';
import { keyOfAddress } from '../../../lib/solana/wallet-signature.ts';
import { formatUsdc, usdc } from '../../../money.ts';
import { done, type EngineContext } from '../../calls/call.ts';
import { iso } from '../../calls/views.ts';
import { freezeMemo, mailboxOf, payRequest, testMemo, waitMs } from '../../domain/phone.ts';
import { addNoticeEverywhere } from '../../notices/add-notice.ts';
import { openToPhones } from '../../payment/owner/ask-owner.ts';
import { approvalNamed, phoneWalletNamed } from '../path.ts';
import { phoneRequestsFor } from './phone-requests.ts';
import { createPossessions, type Possessions } from './possession.ts';
import type { PhoneWallet, PhoneWord, SomeOperations } from '../../ports.ts';

export interface PhoneDeps {
  context: EngineContext;
  /** @throws AppError when the vault has a passphrase and this is not it */
  proveOwner(passphrase: string | undefined): Promise<void>;
}

const most = 10;
const off = usdc(0n);

interface Desk extends PhoneDeps {
  possessions: Possessions;
}

/** The owner's operations on phone wallets. */
export const phoneOperations = (deps: PhoneDeps) => {
  const { context } = deps;
  const { store, time, settings, publish } = context;
  const desk: Desk = { ...deps, possessions: createPossessions(context) };
  return {
    listPhoneWallets() {
      const { owner } = settings;
      return done({
        wallets: store.phones.wallets().map(walletView),
        freeze: payRequest(owner, [mailboxOf(owner)], freezeMemo),
        test: payRequest(owner, [mailboxOf(owner)], testMemo),
      });
    },

    phoneWalletText({ body }) {
      const { expiresAt, ...asked } = desk.possessions.ask(body.address);
      return done({ ...asked, expiresAt: iso(expiresAt) });
    },

    registerPhoneWallet: async ({ body }) => done(walletView(await register(desk, body))),

    setPhoneWalletLimits: async ({ params, body }) =>
      done(walletView(await setLimits(desk, params.phoneWalletId, body))),

    removePhoneWallet({ params }) {
      const wallet = phoneWalletNamed(context, params.phoneWalletId);
      store.atomically(() => store.phones.put({ ...wallet, removedAt: time.now() }));
      publish({ type: 'phones' });
      return done({ phoneWalletId: wallet.id, removed: true });
    },

    listPhoneWords: ({ query }) => done({ words: store.phones.words(query.limit).map(wordView) }),

    phoneRequests({ caller, params }) {
      const { id } = approvalNamed(context, caller, params.approvalId);
      const { until, ...requests } = phoneRequestsFor(context, id);
      return done({ ...requests, until: iso(until) });
    },
  } satisfies SomeOperations;
};

const register = async (
  { context, proveOwner, possessions }: Desk,
  body: Body<'registerPhoneWallet'>,
): Promise<PhoneWallet> => {
  await refuseOwn(context, body.address);
  refuseMore(context, body.address);
  await possessions.proveOwner(body, () => proveOwner(body.passphrase));
  await possessions.refuseUnpaid(body);
  possessions.prove(body);
  const now = context.time.now();
  const wallet: PhoneWallet = {
    id: context.newId('phw'),
    name: body.name,
    address: body.address,
    perApproval: body.perApproval ?? off,
    perDay: body.perDay ?? off,
    registeredAt: now,
    approvesFrom: now + waitMs,
    removedAt: null,
  };
  admit(context, wallet);
  return wallet;
};

const setLimits = async (
  { context, proveOwner }: Desk,
  id: string,
  body: Body<'setPhoneWalletLimits'>,
): Promise<PhoneWallet> => {
  const { store, time, publish } = context;
  const before = phoneWalletNamed(context, id);
  const isRaise = (now: PhoneWallet): boolean =>
    (body.perApproval ?? off) > now.perApproval || (body.perDay ?? off) > now.perDay;
  const raised = isRaise(before);
  if (raised) await proveOwner(body.passphrase);
  // It may have been removed, or its limits lowered, while the passphrase was checked.
  const current = phoneWalletNamed(context, before.id);
  if (!raised && isRaise(current))
    throw new AppError('conflict', 'Its limits were lowered meanwhile. Read them again.');
  const wallet: PhoneWallet = {
    ...current,
    perApproval: body.perApproval ?? current.perApproval,
    perDay: body.perDay ?? current.perDay,
    approvesFrom: isRaise(current) ? time.now() + waitMs : current.approvesFrom,
  };
  if (isRaise(current)) admit(context, wallet);
  else {
    store.atomically(() => store.phones.put(wallet));
    publish({ type: 'phones' });
  }
  return wallet;
};

/** Enters a wallet that may do more than before, opens what waits to phones, and notifies the owner on every channel. */
const admit = (context: EngineContext, wallet: PhoneWallet): void => {
  const { store, publish } = context;
  store.atomically(() => {
    if (store.phones.wallets().every(({ id }) => id !== wallet.id)) refuseMore(context, wallet.address);
    store.phones.put(wallet);
    for (const approval of store.approvals.pending())
      if (store.phones.request(approval.id) === undefined) openToPhones(context, approval);
    addNoticeEverywhere(context, { kind: 'linked', phone: wallet.name });
  });
  publish({ type: 'phones' });
};

/** @throws AppError naming the field, for a wallet that cannot be on the owner's phone; `locked` */
const refuseOwn = async ({ store, settings, keys }: EngineContext, address: string): Promise<void> => {
  if (keyOfAddress(address) === null)
    throw fieldError('address', 'must be the address of a wallet, which has a key');
  if (address === settings.owner || store.wallets.get(address) !== undefined || (await keys.owns(address)))
    throw fieldError('address', 'is a wallet of this treasury. Register one on your phone');
};

const refuseMore = ({ store }: EngineContext, address: string): void => {
  if (store.phones.wallets().length >= most)
    throw new AppError('conflict', `At most ${most} phone wallets can be registered. Remove one first.`);
  if (store.phones.wallets().some((one) => one.address === address))
    throw fieldError('address', 'is registered. Remove it first, or change its limits', 'conflict');
};

const walletView = (wallet: PhoneWallet): Reply<'registerPhoneWallet'> => ({
  phoneWalletId: wallet.id,
  name: wallet.name,
  address: wallet.address,
  perApproval: formatUsdc(wallet.perApproval),
  perDay: formatUsdc(wallet.perDay),
  registeredAt: iso(wallet.registeredAt),
  approvesFrom: iso(wallet.approvesFrom),
});

const wordView = (word: PhoneWord): Reply<'listPhoneWords'>['words'][number] => ({
  txSignature: word.signature,
  phoneWalletId: word.walletId,
  memo: withoutCode(word.memo),
  approvalId: word.approvalId,
  approved: formatUsdc(word.amount),
  whyNot: word.whyNot,
  readAt: iso(word.at),
});

/** The code is spent, or was never ours: the screen needs none. */
const withoutCode = (memo: string): string => memo.replace(/ [0-9a-f]{32}$/, '').slice(0, 300);
