// `treasury public-address`: where a tunnel of the owner's leads to this treasury; prints it, or changes it.
import { Option, type Command } from 'commander';
import type { Reply } from '../../contract/schemas.ts';
import { asOwner } from '../session.ts';
import { show, type Terminal } from '../terminal.ts';

export const addPublicAddress = (program: Command, terminal: () => Terminal): void => {
  program
    .command('public-address [url]')
    .description('show or set the public address of your tunnel to this treasury; off removes it')
    .addOption(
      new Option(
        '--owner-sessions <switch>',
        'whether you may sign in there as the owner: anyone who gets your session then can raise limits and withdraw',
      ).choices(['on', 'off']),
    )
    .action((url: string | undefined, { ownerSessions }: { ownerSessions?: 'on' | 'off' }) =>
      publicAddress(terminal(), url, ownerSessions),
    );
};

const publicAddress = async (
  terminal: Terminal,
  url: string | undefined,
  ownerSessions: 'on' | 'off' | undefined,
): Promise<void> => {
  const owner = asOwner(terminal);
  const body = {
    ...(url === undefined ? {} : { url: url === 'off' ? null : url }),
    ...(ownerSessions === undefined ? {} : { ownerSessions: ownerSessions === 'on' }),
  };
  const settings =
    Object.keys(body).length === 0
      ? await owner.ask('getPublicAddress')
      : await owner.ask('setPublicAddress', { body });
  show(terminal, settings, () => lines(settings));
};

const lines = ({ url, ownerSessions, givenAtStart }: Reply<'getPublicAddress'>): string[] =>
  url === null
    ? ['Other machines do not reach this treasury. Set an address: treasury public-address https://HOST']
    : [
        `${url}${givenAtStart ? ', as the start gave it with --public-url' : ''}`,
        `Link another machine: treasury link --url ${url}`,
        ownerSessions
          ? 'You may sign in there as the owner. Your tunnel’s operator can see that traffic, if it decrypts it.'
          : 'You cannot sign in there as the owner.',
      ];
