// `treasury phone`: the wallets on the owner's phones, their limits, their words, and their links.
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { stolenPhone } from '../../contract/phones/phones.ts';
import type { Input, Reply } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { descriptor, limit as amountOrNone, readSecret, wholeNumber } from '../arguments.ts';
import { Ending } from '../ending.ts';
import { asOwner } from '../session.ts';
import { facts, inert, moment, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

type Wallet = Reply<'registerPhoneWallet'>;

interface Options {
  perApproval?: string;
  perDay?: string;
  passphraseFd?: number;
}

const lookAgainMs = 2_000;

export const addPhone = (program: Command, terminal: () => Terminal): void => {
  const phone = program.command('phone').description('approve, deny and freeze from the wallet on a phone');
  phone
    .command('list', { isDefault: true })
    .description('list the registered wallets')
    .action(() => list(terminal()));
  withLimits(
    phone
      .command('register <address>')
      .description('register a wallet: prints a link for it to pay, and waits for that')
      .requiredOption('--name <text>', 'what you call it'),
  ).action((address: string, options: Options & { name: string }) => register(terminal(), address, options));
  withLimits(
    phone
      .command('limits <wallet>')
      .description('change its limits; after a raise it approves nothing for 24 hours'),
  ).action((phoneWalletId: string, options: Options) => setLimits(terminal(), phoneWalletId, options));
  phone
    .command('lost <wallet>')
    .description('a lost phone: from now on nothing that it says counts')
    .action((phoneWalletId: string) => lost(terminal(), phoneWalletId));
  phone
    .command('words')
    .description('every word of a registered wallet: obeyed, or the reason why not')
    .option('--limit <n>', 'at most this many', wholeNumber, 20)
    .action(({ limit }: { limit: number }) => words(terminal(), limit));
  phone
    .command('links')
    .description(
      'print the links that freeze and that test, or those that answer an approval; show them to nobody',
    )
    .argument('[approval]', 'the id of an approval')
    .action((approvalId: string | undefined) => links(terminal(), approvalId));
};

const withLimits = (command: Command): Command =>
  command
    .option('--per-approval <usdc>', 'the most that it approves at once; 0: nothing', amountOrNone)
    .option('--per-day <usdc>', 'the most that it approves in 24 hours; 0: nothing', amountOrNone)
    .option('--passphrase-fd <n>', 'read the vault’s passphrase from this file descriptor', descriptor);

const bodyOf = ({ perApproval, perDay, passphraseFd }: Options) => {
  const passphrase = readSecret(passphraseFd, '--passphrase-fd');
  return {
    ...(perApproval === undefined ? {} : { perApproval }),
    ...(perDay === undefined ? {} : { perDay }),
    ...(passphrase === undefined ? {} : { passphrase }),
  };
};

const list = async (terminal: Terminal): Promise<void> => {
  const reply = await asOwner(terminal).ask('listPhoneWallets');
  show(terminal, reply, () =>
    reply.wallets.length === 0
      ? ['No phone is registered. Register one: treasury phone register ADDRESS --name NAME']
      : table(
          terminal,
          ['WALLET', 'NAME', 'ADDRESS', 'AT ONCE', 'IN 24 H', 'APPROVES FROM'],
          reply.wallets.map((one) => [
            one.phoneWalletId,
            one.name,
            one.address,
            one.perApproval,
            one.perDay,
            moment(one.approvesFrom),
          ]),
        ),
  );
};

const register = async (
  terminal: Terminal,
  address: string,
  { name, ...options }: Options & { name: string },
): Promise<void> => {
  const client = asOwner(terminal);
  const { request, nonce, expiresAt } = await client.ask('phoneWalletText', { body: { address } });
  terminal.note(`Pay this with the wallet before ${moment(expiresAt)}:\n${request}`);
  const body = { name, address, nonce, ...bodyOf(options) };
  for (;;) {
    const wallet = await registered(client, body);
    if (wallet !== null) return show(terminal, wallet, () => linesOf(wallet));
    await wait(lookAgainMs);
  }
};

/** Null while the payment is missing. */
const registered = async (
  client: ReturnType<typeof asOwner>,
  body: NonNullable<Input<'registerPhoneWallet'>['body']>,
): Promise<Wallet | null> => {
  try {
    return await client.ask('registerPhoneWallet', { body });
  } catch (error) {
    if (error instanceof AppError && error.details?.['isPaid'] === false) return null;
    throw error;
  }
};

const setLimits = async (terminal: Terminal, phoneWalletId: string, options: Options): Promise<void> => {
  if (options.perApproval === undefined && options.perDay === undefined)
    throw new Ending('usage', 'Name a limit: --per-approval or --per-day.');
  const input = { params: { phoneWalletId }, body: bodyOf(options) };
  const wallet = await asOwner(terminal).ask('setPhoneWalletLimits', input);
  show(terminal, wallet, () => linesOf(wallet));
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

const lost = async (terminal: Terminal, phoneWalletId: string): Promise<void> => {
  const reply = await asOwner(terminal).ask('removePhoneWallet', { params: { phoneWalletId } });
  show(terminal, reply, () => ['It is removed: from now on nothing that it says counts.']);
};

const words = async (terminal: Terminal, limit: number): Promise<void> => {
  const reply = await asOwner(terminal).ask('listPhoneWords', { query: { limit: String(limit) } });
  show(terminal, reply, () =>
    reply.words.length === 0
      ? ['No registered phone has said anything.']
      : table(
          terminal,
          ['READ', 'WALLET', 'SAID', 'CAME TO', 'TRANSACTION'],
          reply.words.map((one) => [
            moment(one.readAt),
            one.phoneWalletId,
            one.memo,
            one.whyNot ?? 'obeyed',
            one.txSignature,
          ]),
        ),
  );
};

const links = async (terminal: Terminal, approvalId: string | undefined): Promise<void> => {
  const client = asOwner(terminal);
  if (approvalId === undefined) {
    const { freeze, test } = await client.ask('listPhoneWallets');
    return show(terminal, { freeze, test }, () =>
      facts([
        ['Freeze', freeze],
        ['Test', test],
      ]).map(inert),
    );
  }
  const reply = await client.ask('phoneRequests', { params: { approvalId } });
  show(terminal, reply, () =>
    facts([
      ['Approve', reply.approve ?? 'no registered phone may approve this'],
      ['Deny', reply.deny ?? 'a phone can no longer answer this'],
      ['Until', moment(reply.until)],
    ]).map(inert),
  );
};
