// The wallets on the owner's phones: registering them, their limits, their words, and the requests that they answer.
import type { Body, Reply } from '../../contract/schemas.ts';
import { AppError, fieldError } from '../../errors.ts';
import { isSignature, keyOfAddress } from '../../lib/wallet-signature.ts';
import { formatUsdc, usdc } from '../../money.ts';
import { done, type EngineContext } from '../calls/call.ts';
import { iso } from '../calls/views.ts';
import {
  answerMemo,
  approvable,
  codeEndsMs,
  freezeMemo,
  mailboxOf,
  payRequest,
  possessionText,
  waitMs,
} from '../domain/phone.ts';
import { addNotice } from '../notices/add-notice.ts';
import { approvalNamed, phoneWalletNamed } from './path.ts';
import type { Operation, PhoneWallet, PhoneWord } from '../ports.ts';

type Names =
  | 'listPhoneWallets'
  | 'phoneWalletText'
  | 'registerPhoneWallet'
  | 'setPhoneWalletLimits'
  | 'removePhoneWallet'
  | 'listPhoneWords'
  | 'phoneRequests';
export type PhoneOperations = { [N in Names]: Operation<N> };

export interface PhoneDeps {
  context: EngineContext;
  /** @throws AppError when the vault has a passphrase and this is not it */
  proveOwner(passphrase: string | undefined): Promise<void>;
}

const most = 10;
const off = usdc(0n);

/** The owner's operations on phone wallets. */
export const phoneOperations = ({ context, proveOwner }: PhoneDeps): PhoneOperations => {
  const { store, time, settings } = context;

  /** Enters a wallet that may do more than before, and tells the owner. */
  const admit = (wallet: PhoneWallet): void =>
    store.atomically(() => {
      store.phones.put(wallet);
      addNotice(context, { kind: 'linked', phone: wallet.name });
    });

  return {
    listPhoneWallets() {
      const freeze = payRequest(settings.owner, [mailboxOf(settings.owner)], freezeMemo);
      return done({ wallets: store.phones.wallets().map(walletView), freeze });
    },

    phoneWalletText: ({ body }) => done({ text: possessionText(settings.owner, body.address) }),

    async registerPhoneWallet({ body }) {
      refuseUnowned(context, body);
      await proveOwner(body.passphrase);
      if (store.phones.wallets().length >= most)
        throw new AppError('conflict', `At most ${most} phone wallets can be registered. Remove one first.`);
      if (store.phones.wallets().some(({ address }) => address === body.address))
        throw fieldError('address', 'is registered. Remove it first, or change its limits', 'conflict');
      const now = time.now();
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
      admit(wallet);
      return done(walletView(wallet));
    },

    async setPhoneWalletLimits({ params, body }) {
      const before = phoneWalletNamed(context, params.phoneWalletId);
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
      if (isRaise(current)) admit(wallet);
      else store.atomically(() => store.phones.put(wallet));
      return done(walletView(wallet));
    },

    removePhoneWallet({ params }) {
      const wallet = phoneWalletNamed(context, params.phoneWalletId);
      store.atomically(() => store.phones.put({ ...wallet, removedAt: time.now() }));
      return done({ phoneWalletId: wallet.id, removed: true });
    },

    listPhoneWords: ({ query }) => done({ words: store.phones.words(query.limit).map(wordView) }),

    phoneRequests: ({ caller, params }) =>
      done(requestsFor(context, approvalNamed(context, caller, params.approvalId).id)),
  };
};

/** @throws AppError naming the field, unless the owner has this wallet and it is none of ours */
const refuseUnowned = (
  { store, settings }: EngineContext,
  { address, signature }: Body<'registerPhoneWallet'>,
): void => {
  if (keyOfAddress(address) === null)
    throw fieldError('address', 'must be the address of a wallet, which has a key');
  if (address === settings.owner || store.wallets.get(address) !== undefined)
    throw fieldError('address', 'is a wallet of this treasury. Register one on your phone');
  const text = Buffer.from(possessionText(settings.owner, address));
  if (!isSignature(Buffer.from(signature, 'base64'), text, address))
    throw fieldError('signature', 'was not made by this wallet over the text of this address');
};

const requestsFor = ({ store, time, settings }: EngineContext, id: string): Reply<'phoneRequests'> => {
  const approval = store.approvals.get(id);
  const request = store.phones.request(id);
  const until = (approval?.expiresAt ?? 0) - codeEndsMs;
  const isOpen = approval?.status === 'pending' && time.now() < until && store.phones.wallets().length > 0;
  if (approval === undefined || request === undefined || !isOpen)
    return { approve: null, deny: null, until: iso(until) };
  const urlOf = (verb: 'approve' | 'deny'): string =>
    payRequest(
      settings.owner,
      [request.reference, mailboxOf(settings.owner)],
      answerMemo(verb, approval, request.code),
    );
  const amount = approvable(approval);
  const canApprove =
    amount !== null &&
    store.phones
      .wallets()
      .some(
        ({ perApproval, perDay, approvesFrom }) =>
          amount <= perApproval && amount <= perDay && approvesFrom <= time.now(),
      );
  return { approve: canApprove ? urlOf('approve') : null, deny: urlOf('deny'), until: iso(until) };
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
