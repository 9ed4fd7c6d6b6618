// `treasury phone`: the wallets on the owner's phones, their limits, their words, and their links.
import { setTimeout as wait } from 'node:timers/promises';
import { stolenPhone } from '../../contract/phones/phones.ts';
import type { Input, Reply } from '../../contract/schemas.ts';
import type { Client } from '../../client/client.ts';
import { AppError } from '../../errors.ts';
import { descriptor, limit, readSecret, wholeNumber } from '../arguments.ts';
import { command, commandGroup, ownerCommand } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { asOwner } from '../session.ts';
import { facts, inert, listing, moment } from '../table.ts';
import { show } from '../terminal.ts';

type Wallet = Reply<'registerPhoneWallet'>;

const lookAgainMs = 2_000;

const limitOptions = {
  perApproval: ['usdc', 'the most that it approves at once; 0: nothing', limit],
  perDay: ['usdc', 'the most that it approves in 24 hours; 0: nothing', limit],
  passphraseFd: ['n', 'read the vault’s passphrase from this file descriptor', descriptor],
} as const;

/** What those options give to a request. */
const limitsIn = ({
  passphraseFd,
  ...limits
}: {
  perApproval?: string;
  perDay?: string;
  passphraseFd?: number;
}) => {
  const passphrase = readSecret(passphraseFd, '--passphrase-fd');
  return { ...limits, ...(passphrase === undefined ? {} : { passphrase }) };
};

/** Null while the payment is missing. */
const registered = async (
  client: Client,
  body: NonNullable<Input<'registerPhoneWallet'>['body']>,
): Promise<Wallet | null> => {
  try {
    return await client.ask('registerPhoneWallet', { body });
  } catch (error) {
    if (error instanceof AppError && error.details?.['isPaid'] === false) return null;
    throw error;
  }
};

const linesOf = (wallet: Wallet): string[] => [
  ...facts([
    [wallet.phoneWalletId, wallet.name],
    ['Address', wallet.address],
    ['Approves', `${wallet.perApproval} USDC at once, ${wallet.perDay} USDC in 24 hours`],
    ['From', moment(wallet.approvesFrom)],
  ]),
  ...stolenPhone(wallet),
];

export const addPhone = commandGroup('phone', 'approve, decline and freeze from the wallet on a phone', [
  ownerCommand('list', {
    isDefault: true,
    about: 'list the registered wallets',
    examples: ['treasury phone'],
    ask: (owner) => owner.ask('listPhoneWallets'),
    show: ({ wallets }, terminal) =>
      listing(
        terminal,
        wallets,
        'No phone is registered. Register one: treasury phone register ADDRESS --name NAME',
        {
          WALLET: 'phoneWalletId',
          NAME: 'name',
          ADDRESS: 'address',
          'AT ONCE': 'perApproval',
          'IN 24 H': 'perDay',
          'APPROVES FROM': ({ approvesFrom }) => moment(approvesFrom),
        },
      ),
  }),
  ownerCommand('register <address>', {
    about: 'register a wallet: prints a link for it to pay, and waits for that',
    examples: [
      'treasury phone register 9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin --name Phone --per-approval 5 --per-day 20',
    ],
    options: { name: { needed: ['text', 'what you call it'] }, ...limitOptions },
    async ask(owner, { address, name, ...options }, { note }) {
      const { request, nonce, expiresAt } = await owner.ask('phoneWalletText', { body: { address } });
      note(`Pay this with the wallet before ${moment(expiresAt)}:\n${request}`);
      const body = { name, address, nonce, ...limitsIn(options) };
      for (;;) {
        const wallet = await registered(owner, body);
        if (wallet !== null) return wallet;
        await wait(lookAgainMs);
      }
    },
    show: linesOf,
  }),
  command('limits <wallet>', {
    about: 'change its limits; after a raise it approves nothing for 24 hours',
    examples: ['treasury phone limits phw_01k2 --per-approval 2 --per-day 10'],
    options: limitOptions,
    async run(terminal, { wallet: phoneWalletId, ...options }) {
      if (options.perApproval === undefined && options.perDay === undefined)
        throw new Ending('usage', 'Name a limit: --per-approval or --per-day.');
      const input = { params: { phoneWalletId }, body: limitsIn(options) };
      const wallet = await asOwner(terminal).ask('setPhoneWalletLimits', input);
      show(terminal, wallet, () => linesOf(wallet));
    },
  }),
  ownerCommand('lost <wallet>', {
    about: 'remove a phone, such as a lost one: the treasury ignores it from then on',
    examples: ['treasury phone lost phw_01k2'],
    ask: (owner, { wallet: phoneWalletId }) => owner.ask('removePhoneWallet', { params: { phoneWalletId } }),
    show: () => ['The phone is removed. From now on, the treasury ignores it.'],
  }),
  ownerCommand('words', {
    about: 'every word of a registered wallet: obeyed, or the reason why not',
    examples: ['treasury phone words', 'treasury phone words --json | jq -r ".words[].txSignature"'],
    options: { limit: ['n', 'at most this many', wholeNumber, 20] },
    ask: (owner, { limit: most }) => owner.ask('listPhoneWords', { query: { limit: `${most}` } }),
    show: ({ words }, terminal) =>
      listing(terminal, words, 'No registered phone has said anything.', {
        READ: ({ readAt }) => moment(readAt),
        WALLET: 'phoneWalletId',
        SAID: 'memo',
        'CAME TO': ({ whyNot }) => whyNot ?? 'obeyed',
        TRANSACTION: 'txSignature',
      }),
  }),
  command('links [approval]', {
    about: 'print the links that freeze and that test, or those that answer an approval; show them to nobody',
    examples: [
      'treasury phone links  # freeze, and test',
      'treasury phone links apr_01k2  # approve, and decline',
    ],
    arguments: { approval: ['the id of an approval'] },
    async run(terminal, { approval: approvalId }) {
      const owner = asOwner(terminal);
      if (approvalId === undefined) {
        const { freeze, test } = await owner.ask('listPhoneWallets');
        return show(terminal, { freeze, test }, () =>
          facts([
            ['Freeze', freeze],
            ['Test', test],
          ]).map(inert),
        );
      }
      const reply = await owner.ask('phoneRequests', { params: { approvalId } });
      show(terminal, reply, () =>
        facts([
          ['Approve', reply.approve ?? 'no registered phone may approve this'],
          ['Decline', reply.deny ?? 'a phone can no longer answer this'],
          ['Until', moment(reply.until)],
        ]).map(inert),
      );
    },
  }),
]);
