// `treasury public-address`: where a tunnel of the owner's leads to this treasury; prints it, or changes it.
import { ownerCommand } from '../command-row.ts';

export const addPublicAddress = ownerCommand('public-address [url]', {
  about: 'show or set the public address of your tunnel to this treasury; off removes it',
  examples: [
    'treasury public-address',
    'treasury public-address https://treasury.example.ts.net',
    'treasury public-address --owner-sessions on',
    'treasury public-address off',
  ],
  options: {
    ownerSessions: [
      'switch',
      'whether you may sign in there as the owner: anyone who gets your session then can raise limits and withdraw',
      ['on', 'off'],
    ],
  },
  ask(owner, { url, ownerSessions }) {
    const body = {
      ...(url === undefined ? {} : { url: url === 'off' ? null : url }),
      ...(ownerSessions === undefined ? {} : { ownerSessions: ownerSessions === 'on' }),
    };
    if (Object.keys(body).length === 0) return owner.ask('getPublicAddress');
    return owner.ask('setPublicAddress', { body });
  },
  show: ({ url, ownerSessions, givenAtStart }) =>
    url === null
      ? ['Other machines do not reach this treasury. Set an address: treasury public-address https://HOST']
      : [
          `${url}${givenAtStart ? ', as the start gave it with --public-url' : ''}`,
          `Link another machine: treasury link --url ${url}`,
          ownerSessions
            ? 'You may sign in there as the owner. Your tunnel’s operator can see that traffic, if it decrypts it.'
            : 'You cannot sign in there as the owner.',
        ],
});
