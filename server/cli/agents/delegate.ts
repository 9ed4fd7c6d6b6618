// `treasury delegate`: keys with limits of their own, for sub-agents and tasks.
import { unknownServicesSentence } from '../../contract/limits/service-limits.ts';
import { dateOrTime } from '../arguments.ts';
import { agentOrOwnerCommand, commandGroup, ownerCommand } from '../command-row.ts';
import { changeIn, limitOptions } from './policy-options.ts';
import { facts, inert, listing, moment } from '../table.ts';

const { expiresAt: _, ...limits } = limitOptions;

export const addDelegate = commandGroup(
  'delegate',
  'keys that an agent gives to sub-agents and tasks, with limits of their own',
  [
    agentOrOwnerCommand('list <agent>', {
      isDefault: true,
      about: 'list the delegated keys in force',
      examples: ['treasury delegate scout'],
      ask: (session, { agent: agentId }) => session.ask('listDelegatedKeys', { params: { agentId } }),
      show: ({ keys }, terminal) =>
        listing(terminal, keys, 'No delegated key is in force.', {
          KEY: 'keyId',
          LABEL: 'label',
          LEVEL: 'level',
          'CAN SPEND': 'spendable',
          ENDS: ({ expiresAt }) => moment(expiresAt),
          'LAST USED': ({ lastSeenAt }) => (lastSeenAt === null ? 'never' : moment(lastSeenAt)),
        }),
    }),
    ownerCommand('allow <agent>', {
      about: 'let the agent delegate keys',
      examples: ['treasury delegate allow scout'],
      ask: (owner, { agent: agentId }) =>
        owner.ask('setDelegation', { params: { agentId }, body: { allowed: true } }),
      show: (_reply, _terminal, { agent }) => facts([[agent, 'may delegate keys']]),
    }),
    ownerCommand('forbid <agent>', {
      about: 'end all keys that it delegated, and let it delegate no more',
      examples: ['treasury delegate forbid scout'],
      ask: (owner, { agent: agentId }) =>
        owner.ask('setDelegation', { params: { agentId }, body: { allowed: false } }),
      show: (_reply, _terminal, { agent }) => facts([[agent, 'delegates no keys']]),
    }),
    agentOrOwnerCommand('key <agent>', {
      about: 'make a delegated key, and show it once; it needs a daily or a total budget',
      examples: ['treasury delegate key scout --label "find papers" --until 2030-01-31 --total-budget 1'],
      options: {
        label: { needed: ['text', 'what it is for'] },
        until: { needed: ['time', 'a date or a time, at most 30 days ahead', dateOrTime] },
        ...limits,
      },
      ask: (session, { agent: agentId, label, until, ...given }) =>
        session.ask('delegateKey', {
          params: { agentId },
          body: { label, expiresAt: until, ...changeIn(given) },
        }),
      show: ({ apiKey, keyId, expiresAt, spendable, unknownServices }) => [
        ...facts([
          ['Key', apiKey],
          ['Id', keyId],
          ['Ends', moment(expiresAt)],
          ['Can spend now', `${spendable} USDC`],
        ]),
        ...unknownServicesSentence(unknownServices),
      ],
    }),
    agentOrOwnerCommand('end <agent> <key>', {
      about: 'end a delegated key, with all that it delegated',
      examples: ['treasury delegate end scout key_0mwtgw0wmafc15a8b892'],
      ask: (session, { agent: agentId, key: delegatedKeyId }) =>
        session.ask('endDelegatedKey', { params: { agentId, delegatedKeyId } }),
      show: ({ label }) => facts([[inert(label), 'ended']]),
    }),
  ],
);
